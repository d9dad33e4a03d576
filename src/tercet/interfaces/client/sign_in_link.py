"""A link that opens the inspector of a running service, signed in."""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tercet.errors import ConfigurationError, TransientError

if TYPE_CHECKING:
    from tercet.interfaces.client.discovery import RunningService

ANSWER_S = 10.0
LINKS = "/v1/inspector/links"


def sign_in_link(service: RunningService, agent: str | None = None) -> str:
    """Return an address that signs one browser in, once, and shows the memory of an agent.

    Raises:
        TransientError: the service does not answer.
        ConfigurationError: it knows no such links: it is of another version (permanent).
    """
    address = urlsplit(service.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=ANSWER_S)
    headers = {"Authorization": f"Bearer {service.token}", "Content-Type": "application/json"}
    try:
        connection.request("POST", LINKS, json.dumps({"agent": agent}), headers)
        answer = connection.getresponse()
        body = answer.read()
    except OSError as error:
        msg = f"The service at {service.url} does not answer ({error}): try again."
        raise TransientError(msg) from error
    finally:
        connection.close()
    if answer.status != http.client.OK:
        msg = f"The service at {service.url} makes no links (HTTP {answer.status}): start it again with this version."
        raise ConfigurationError(msg)
    value: Any = json.loads(body)
    return f"{service.url}{value['path']}"
