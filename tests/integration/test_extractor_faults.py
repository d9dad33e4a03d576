"""A chat service that is dead, slow, lying or unwilling, over real HTTP on loopback."""

from __future__ import annotations

import asyncio
import socket

import pytest

from tercet.adapters.extractors import chat
from tercet.errors import ConfigurationError, ExtractorContractError, ExtractorUnavailableError
from tercet.ports.extraction import SessionLine
from tercet.testing import chat_server as played
from tercet.testing.chat_server import ChatServer, completion, fact, facts
from tercet.testing.embedding_server import half_of

KEY = "sk-secret-key-of-mine"
LINES = [SessionLine(1, "user", "I live in Porto")]
GOOD = facts(fact("User lives in Porto", 1))
MALFORMED = '{"facts": [{"text": "User lives'


@pytest.fixture
def server():
    with ChatServer() as running:
        yield running


@pytest.fixture
async def make(server):
    made, waited = [], []

    async def wait(seconds):
        waited.append(seconds)

    def build(**settings):
        made.append(chat.create({"url": server.url, "model": "m", "api_key": KEY} | settings, wait=wait))
        return made[-1]

    build.waited = waited
    yield build
    for each in made:
        await each.close()


async def reason(extractor, kind):
    with pytest.raises(kind) as caught:
        await extractor.extract_session(LINES)
    said = str(caught.value)
    assert "\n" not in said
    assert KEY not in said
    return said


def changed(**fields):
    return facts(fact("User lives in Porto", 1) | fields)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (MALFORMED, "no JSON"),
        ("I'd rather not.", "no JSON object"),
        ("", "no JSON object"),
        ("[]", "no JSON object"),
        ('{"memories": []}', 'no list "facts"'),
        ('{"facts": {}}', 'no list "facts"'),
        ('{"facts": ["User lives in Porto"]}', r"facts[0].text is missing"),
        (changed(text=" "), r"facts[0].text is empty"),
        (changed(text="x" * 1001), "longer than 1000"),
        (changed(category="hobby"), r'facts[0].category is "hobby"'),
        (changed(category=["fact"]), "facts[0].category"),
        (changed(importance=7), "not a number from 0 to 1"),
        (changed(importance=True), "not a number from 0 to 1"),
        (changed(importance="high"), "not a number from 0 to 1"),
        (changed(importance=float("nan")), "not a number from 0 to 1"),
        (changed(evidence=["1"]), "not a list of line numbers"),
        (changed(evidence=1), "not a list of line numbers"),
        (changed(evidence=[True]), "not a list of line numbers"),
        (changed(topic=None), r"facts[0].topic is missing"),
        ("[" * 100_000 + "{" * 100_000, "no JSON"),
    ],
)
async def test_an_unusable_answer_is_repaired_once_or_given_up(make, server, answer, said):
    server.script(answer, GOOD)
    digest = await make().extract_session(LINES)
    assert [each.text for each in digest.facts] == ["User lives in Porto"]
    [first, second] = server.posted()
    messages = second.body["messages"]
    assert messages[:2] == first.body["messages"]
    assert [each["role"] for each in messages[2:]] == ["assistant", "user"]
    assert said in messages[3]["content"]
    assert len(messages[2]["content"]) <= 4000
    server.script(answer, answer)
    assert "also when asked again" in await reason(make(), ExtractorContractError)
    assert len(server.posted()) == 4


async def test_an_answer_that_was_cut_off_says_so(make, server):
    server.script(*[completion(MALFORMED, finish_reason="length")] * 2)
    assert "raise extraction.max_output_tokens" in await reason(make(), ExtractorContractError)
    assert "fewer and shorter facts" in server.posted()[1].body["messages"][3]["content"]
    server.script(completion(None, finish_reason="length"), GOOD)
    assert (await make().extract_session(LINES)).facts


@pytest.mark.parametrize(
    "answer",
    [played.refusal(), completion("", finish_reason="content_filter"), played.FILTERED_PROMPT],
    ids=["refusal", "filtered answer", "filtered prompt"],
)
async def test_a_refusal_is_not_argued_with(make, server, answer):
    server.script(answer)
    assert "refused to read" in await reason(make(), ExtractorContractError)
    assert len(server.posted()) == 1


@pytest.mark.parametrize("answer", [played.RATE_LIMITED, played.SERVER_ERROR, half_of(completion(GOOD))])
async def test_what_passes_is_tried_again(make, server, answer):
    server.script(answer, GOOD)
    assert (await make().extract_session(LINES)).facts
    assert len(server.posted()) == 2
    assert make.waited == [3.0 if answer is played.RATE_LIMITED else 1.0]


@pytest.mark.parametrize(
    ("answer", "said", "tries"),
    [
        (played.SERVER_ERROR, "answered 500", 3),
        (played.RATE_LIMITED, "answered 429", 3),
        (played.RATE_LIMITED_FOR_LONG, "3600 s", 1),
        (played.QUOTA_EXHAUSTED, "quota", 1),
        (played.MODEL_NOT_PULLED, "ollama pull m", 1),
    ],
    ids=["500", "429", "429 for long", "quota", "not pulled"],
)
async def test_a_service_that_is_down_is_transient_and_not_asked_for_ever(make, server, answer, said, tries):
    server.fail_with(answer, times=None)
    assert said in await reason(make(), ExtractorUnavailableError)
    assert len(server.posted()) == tries


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (played.UNAUTHORISED, "set extraction.api_key"),
        (played.FORBIDDEN, "extraction.api_key"),
        (played.UNKNOWN_MODEL, "check extraction.model"),
        (played.TOO_LONG, "lower extraction.max_input_tokens"),
    ],
)
async def test_a_wrong_setting_is_permanent_and_named(make, server, answer, said):
    server.fail_with(answer, times=None)
    assert said in await reason(make(), ConfigurationError)
    assert len(server.posted()) == 1


async def test_a_request_refused_without_a_reason_is_tried_without_the_schema_only_once(make, server):
    server.fail_with(played.Answer(400, {"error": "bad request"}), times=None)
    extractor = make()
    assert "refused the request (400" in await reason(extractor, ConfigurationError)
    assert ["response_format" in request.body for request in server.posted()] == [True, False]
    server.recover()
    await extractor.extract_session(LINES)
    assert "response_format" in server.posted()[-1].body  # it was not the schema


@pytest.mark.parametrize(
    "answer", [played.NO_COMPLETION, played.HTML, played.Answer(json=3), played.Answer(json={"choices": [7]})]
)
async def test_what_is_no_chat_service_is_a_contract_error(make, server, answer):
    server.fail_with(answer, times=None)
    await reason(make(), ExtractorContractError)


async def test_a_service_that_hangs_costs_its_time_limit_once(make, server):
    server.hold()
    assert "no answer within 0.05 s" in await reason(make(timeout_s=0.05), ExtractorUnavailableError)
    assert len(server.posted()) == 1
    assert make.waited == []


async def test_an_extraction_can_be_called_off(make, server):
    server.hold()
    task = asyncio.create_task(make().extract_session(LINES))
    await asyncio.to_thread(server.arrived.acquire)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_nobody_listening_is_transient(make):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}"
        assert "connection refused" in await reason(make(url=url), ExtractorUnavailableError)


async def test_a_service_that_dies_between_two_stretches_gives_no_half_digest(make, server):
    lines = [SessionLine(number, "user", f"Note {number}: " + "some words of mine " * 60) for number in range(1, 9)]
    server.script(GOOD)
    server.fail_with(played.SERVER_ERROR, times=None)
    with pytest.raises(ExtractorUnavailableError):
        await make(max_input_tokens=1500).extract_session(lines)
    assert len(server.posted()) == 1 + 3
