"""What object storage answered is read out of the library's errors, refusals apart from outages."""

from __future__ import annotations

import pytest

from tercet.adapters.lancedb.library import translated
from tercet.adapters.lancedb.object_storage import storage_fault
from tercet.errors import EngineRefusedError, EngineUnavailableError

URI = "s3://bucket/prefix"
SECRET = "sEcReT-of-nobody"  # noqa: S105 - of no service


def wrapped(status, code):
    """An answer as it stands in an error that tells its parts by name."""
    body = f'<?xml version=\\"1.0\\"?>\\n<Error><Code>{code}</Code><Message>no</Message></Error>'
    return (
        'Failed to connect to namespace: IO { source: Generic { store: "S3", source: RetryError { method: GET, '
        f'uri: Some(http://127.0.0.1:1/bucket?sig={SECRET}), inner: Status {{ status: {status}, body: Some("{body}") }} }} }} }}'
    )


def told(status, code):
    """An answer as it stands in an error that tells its parts in a sentence."""
    return (
        f"lance error: LanceError(IO): Generic S3 error: Error performing GET http://127.0.0.1:1/b?sig={SECRET} in 8ms - "
        f'Server returned non-2xx status code: {status} Words: <?xml version="1.0"?>\n<Error><Code>{code}</Code></Error>'
    )


@pytest.mark.parametrize("shape", [wrapped, told])
@pytest.mark.parametrize(
    ("status", "code", "said", "setting"),
    [
        (404, "NoSuchBucket", "bucket does not exist", "store.url"),
        (403, "InvalidAccessKeyId", "access key", "store.access_key"),
        (403, "SignatureDoesNotMatch", "secret key", "store.secret_key"),
        (403, "AccessDenied", "denies access", "store.access_key"),
        (400, "ExpiredToken", "too old", "store.options"),
        (400, "AuthorizationHeaderMalformed", "another region", "store.region"),
        (403, "SomethingOfItsOwn", "HTTP 403", "store.access_key"),
    ],
)
def test_a_refusal_names_the_setting_and_nothing_else_of_the_request(shape, status, code, said, setting):
    with pytest.raises(EngineRefusedError) as caught, translated(URI, "be opened"):
        raise ValueError(shape(status, code))
    message = str(caught.value)
    assert said in message
    assert setting in message
    assert URI in message
    assert "\n" not in message
    assert SECRET not in message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (wrapped(503, "SlowDown"), "HTTP 503 SlowDown"),
        (told(500, "InternalError"), "HTTP 500 InternalError"),
        (told(404, "NoSuchKey"), "NoSuchKey"),
        (
            'Http { kind: Connect, source: ConnectError("tcp", Os { code: 111, message: "Connection refused" }) }',
            "refused",
        ),
        (
            "Error performing GET http://127.0.0.1:1/b, after 3 retries - HTTP error: error sending request",
            "be reached",
        ),
        ('ConnectError("dns error", "failed to lookup address information")', "name of the service"),
        ("Http(HttpError { kind: Timeout, source: reqwest::Error { kind: Request, source: TimedOut } })", "in time"),
    ],
)
def test_an_outage_is_transient(text, said):
    with pytest.raises(EngineUnavailableError) as caught, translated(URI, "be opened"):
        raise OSError(text)
    assert not isinstance(caught.value, EngineRefusedError)
    assert said in str(caught.value)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ('Generic Config error: failed to parse "soon" as Duration, /root/x/src/aws.rs:148:21', "store.options"),
        ("Failed to get AWS credentials: ProviderError(FailedToLoadToken)", "store.access_key"),
    ],
)
def test_settings_that_never_reach_the_service_are_refusals_too(text, setting):
    fault = storage_fault(text)
    assert fault is not None
    assert fault.is_permanent
    assert setting in fault.mend


def test_a_local_store_and_a_fault_of_the_store_itself_are_no_answers_of_a_service():
    assert storage_fault("Not found: bucket/prefix/passages.lance/_versions") is None
    with pytest.raises(EngineUnavailableError, match="rebuild") as caught, translated("/home/store", "be opened"):
        raise OSError(wrapped(403, "AccessDenied"))
    assert not isinstance(caught.value, EngineRefusedError)
