"""A bucket that is away or denies access: answers by words, nothing told is lost, one line says what to mend."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from tercet.testing.s3_server import SECRET_KEY

WRONG_SECRET = "wrong-secret-9c2f"  # noqa: S105 - of no service
QUERY = "boat Albatros berth"


def environment_of(store):
    return {f"TERCET_STORE__{name.upper()}": value for name, value in store.items()}


@pytest.fixture
def store(s3_server):
    return s3_server.settings(s3_server.new_uri())


@pytest.fixture
def whole(tercet, notes, store):
    """A home whose index lies in a bucket, with a folder and an entry in it."""
    tercet.environment.update(environment_of(store))
    # Sooner than by default, since every command of these tests waits for it anew.
    tercet.environment["TERCET_STORE__OPTIONS"] = '{"client_max_retries": "0"}'
    assert tercet("index", str(notes)).code == 0
    assert tercet("remember", "The boat Albatros gets a new berth in May.").code == 0
    assert answer(tercet) == ({"MEMORY.md", None}, None)
    return tercet


@contextmanager
def stopped(server):
    server.stop()
    try:
        yield
    finally:
        server.resume()


def answer(tercet, query=QUERY):
    ran = tercet("search", query, "--json")
    assert ran.code == 0, ran.err
    return {hit["path"] for hit in ran.json["results"]}, ran.json["degraded"]


def findings(ran):
    return {found["check"]: found for found in ran.json["findings"]}


def one_line_of(ran):
    """Return the error of a command that failed with one line."""
    assert ran.code == 1
    assert "Traceback" not in ran.err
    line = ran.err.splitlines()[-1]
    assert line.startswith("tercet: ")
    return line.removeprefix("tercet: ")


def test_status_and_doctor_of_a_sound_bucket(whole):
    status = whole("status", "--json")
    (semantic,) = (layer for layer in status.json["layers"] if layer["layer"] == "semantic")
    assert semantic["healthy"]
    assert semantic["bytes"] > 0
    assert SECRET_KEY not in status.out + whole("status").out
    doctor = whole("doctor", "--json")
    assert SECRET_KEY not in doctor.out + doctor.err
    assert {findings(doctor)[name]["verdict"] for name in ("vector store", "index", "round trip")} == {"ok"}


def test_a_service_that_is_away_is_answered_around_and_caught_up_with(whole, s3_server, notes, write_notes):
    with stopped(s3_server):
        found, degraded = answer(whole)
        assert found == {"MEMORY.md", None}
        assert "cannot be reached" in degraded
        assert "store.endpoint" in degraded
        write_notes(notes, {"new.md": "A second boat Albatros lies at berth 12.\n"})
        assert "cannot be reached" in one_line_of(whole("index"))
        assert whole("remember", "The boat Albatros was sold by Joris.").code == 0
        assert answer(whole, "Joris sold the boat")[0] >= {None}
        doctor = whole("doctor", "--json")
        assert findings(doctor)["vector store"]["verdict"] == "problem"
        assert "cannot be reached" in findings(doctor)["vector store"]["detail"]
        status = whole("status", "--json")
        assert status.code == 0
        assert "cannot be reached" in status.out
    found, degraded = answer(whole)
    assert (found, degraded) == ({"MEMORY.md", "new.md", None}, None)
    assert "Joris" in whole("search", "Joris sold the boat", "--json").out
    doctor = findings(whole("doctor", "--json"))
    assert {doctor[name]["verdict"] for name in ("vector store", "index", "round trip")} == {"ok"}


@pytest.mark.parametrize(
    ("wrong", "said", "mend"),
    [
        ({"secret_key": WRONG_SECRET}, "the secret key does not belong to the access key", "store.secret_key"),
        ({"url": "s3://no-such-bucket/memory"}, "the bucket does not exist", "store.url"),
    ],
    ids=["secret", "bucket"],
)
def test_a_refusal_names_the_setting_and_is_told_from_an_outage(whole, store, wrong, said, mend):
    right = dict(whole.environment)
    whole.environment.update(environment_of({**store, **wrong}))
    found, degraded = answer(whole)
    assert found == {"MEMORY.md", None}
    assert said in degraded
    refused = whole("index", "--full")
    line = one_line_of(refused)
    assert said in line
    assert mend in line
    told = whole("remember", "The boat Albatros was sold by Joris.")
    assert told.code == 0
    doctor = whole("doctor", "--json")
    assert findings(doctor)["vector store"]["detail"] == line
    assert findings(doctor)["vector store"]["mend"] == "Change the setting the message names."
    shown = "".join(ran.out + ran.err for ran in (refused, told, doctor, whole("status", "--json")))
    assert SECRET_KEY not in shown
    assert WRONG_SECRET not in shown
    # What was told meanwhile waited for the setting to be mended.
    whole.environment = right
    assert "Joris" in whole("search", "Joris sold the boat", "--json").out
    assert findings(whole("doctor", "--json"))["index"]["verdict"] == "ok"


def test_an_endpoint_that_is_no_address_ends_every_command(whole):
    line = one_line_of(whole("search", QUERY, TERCET_STORE__ENDPOINT="127.0.0.1:8333"))
    assert "store.endpoint" in line
    assert "https://" in line


def test_a_rebuild_replaces_what_lies_in_the_bucket_and_leaves_other_tables(whole, store, s3_server):
    import lancedb
    import pyarrow as pa

    options = {
        "aws_endpoint": s3_server.endpoint, "allow_http": "true", "region": store["region"],
        "aws_access_key_id": store["access_key"], "aws_secret_access_key": store["secret_key"],
        "aws_virtual_hosted_style_request": "false",
    }  # fmt: skip
    bucket = lancedb.connect(store["url"], storage_options=options)
    bucket.create_table("theirs", pa.table({"a": [1]}))
    bucket.drop_table("spaces")  # rows without the record of their spaces cannot be opened
    assert answer(whole)[1] is not None
    assert whole("index", "--rebuild").code == 0
    assert answer(whole) == ({"MEMORY.md", None}, None)
    assert bucket.open_table("theirs").count_rows() == 1
