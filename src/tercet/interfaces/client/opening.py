"""The memory behind a command: the running service's where there is one, else one in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.interfaces.client.discovery import RunningService, find_service
from tercet.interfaces.client.fingerprint import settings_digest

if TYPE_CHECKING:
    from tercet.config import LoadedSettings
    from tercet.interfaces.client.service_client import ServiceClient
    from tercet.interfaces.client.synchronous import ServiceMemory
    from tercet.memory import AsyncMemory, Memory


def open_memory(loaded: LoadedSettings) -> Memory | ServiceMemory:
    """Return a memory, a context manager: of the service, or built here.

    Both give the same answers. A service that runs with other settings than these (an option, the
    environment) is passed over, since its answers would be others.

    Raises:
        ConfigurationError, IdentityError: as ``tercet.app.build``, where there is no service.
    """
    service = usable_service(loaded)
    if service is not None:
        from tercet.interfaces.client.service_client import ServiceClient
        from tercet.interfaces.client.synchronous import ServiceMemory

        settings = loaded.settings
        return ServiceMemory(ServiceClient(service, settings.agent, default_limit=settings.retrieval.limit))
    from tercet.app import build

    return build(loaded)


async def open_memory_async(loaded: LoadedSettings) -> AsyncMemory | ServiceClient:
    """Do the same for async code; close what it returns."""
    service = usable_service(loaded)
    if service is not None:
        from tercet.interfaces.client.service_client import ServiceClient

        settings = loaded.settings
        return ServiceClient(service, settings.agent, default_limit=settings.retrieval.limit)
    from tercet.app import build_async

    return await build_async(loaded)


def usable_service(loaded: LoadedSettings) -> RunningService | None:
    """Return the service of the home, if it runs with these very settings."""
    service = find_service(loaded.settings.home)
    if service is None or service.settings != settings_digest(loaded.settings):
        return None
    return service
