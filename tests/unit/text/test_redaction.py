"""Secrets never reach the store, and what only looks like one is left alone."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.text.redaction import redact

# Put together here, so that no scanner of the repository takes them for real ones.
BODY = "A1b2C3d4E5f6G7h8J9k0L1m2N3p4Q5r6S7t8"
SECRETS = {
    "sk-" + BODY: "api key",
    "sk-ant-api03-" + BODY: "api key",
    "sk-proj-" + BODY[:24]: "api key",
    "ghp_" + BODY: "api key",
    "github_pat_" + BODY: "api key",
    "AKIA" + "ABCDEFGH12345678": "api key",
    "xoxb-" + "1234567890-abcdefghij": "api key",
    "AIza" + BODY: "api key",
    "hf_" + BODY: "api key",
    "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123": "token",
    "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----": "private key",
    "-----BEGIN OPENSSH " + "PRIVATE KEY-----\ncut off": "private key",
    "4111 1111 1111 1111": "card number",
    "5500-0000-0000-0004": "card number",
    "378282246310005": "card number",
}


@pytest.mark.parametrize(("secret", "kind"), SECRETS.items())
@pytest.mark.parametrize("frame", ["{}", "use {} please", "我的密钥{}，记住", "({})", "it is {}\n"])
def test_known_shapes_go_wherever_they_stand(secret, kind, frame):
    result = redact(frame.format(secret))
    assert result.text.rstrip() == frame.format(f"[redacted: {kind}]").rstrip() or "-----BEGIN" in secret
    assert secret[-12:] not in result.text
    assert kind in result.kinds


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("my password is hunter2.", "my password is [redacted: password]."),
        ("The wifi password is sunshine", "The wifi password is [redacted: password]"),
        ("password for the NAS: Tr0ub4dor&3, ok?", "password for the NAS: [redacted: password], ok?"),
        ('DB_PASSWORD="open sesame"', 'DB_PASSWORD="[redacted: password]"'),
        ('{"password": "x1"}', '{"password": "[redacted: password]"}'),
        ("I changed the password to blue-42", "I changed the password to [redacted: password]"),
        ("Wi-Fi密码是abc12345。", "Wi-Fi密码是[redacted: password]。"),
        ("我的密碼：Qwer!234", "我的密碼：[redacted: password]"),
        ("密码改成 s3cret 了", "密码改成 [redacted: password] 了"),
        ("passphrase: correct horse battery staple", "passphrase: [redacted: password]"),
        ("password: correct", "password: [redacted: password]"),
        ("use sk-abcdefghijklmnopqrstuvwx", "use [redacted: api key]"),
        ("the password for the door is 4-4-1", "the password for the door is [redacted: password]"),
        ("my PIN is 4821", "my PIN is [redacted: pin]"),
        ("postgres://bo:s3cr@t@db.local/app", "postgres://bo:[redacted: password]@db.local/app"),
        ("Authorization: Bearer abcdef1234567890", "Authorization: Bearer [redacted: token]"),
        ("the api key is 9f8e7d6c5b4a39281706", "the api key is [redacted: api key]"),
        ("API_KEY=abc123def456ghi", "API_KEY=[redacted: api key]"),
        ("密钥是 Zx81kq0PmW22", "密钥是 [redacted: api key]"),
        ("here is the token for the bot " + BODY, "here is the token for the bot [redacted: api key]"),
    ],
)
def test_what_is_said_to_be_a_secret_is_one(text, left):
    assert redact(text).text == left


@pytest.mark.parametrize(
    "text",
    [
        "the password is wrong",
        "my password is required to be long",
        "password: str = None",
        "password=os.environ['PW']",
        "password = getpass()",
        "PWD=/home/bo/x",
        "pwd: ~/src",
        "api_key = settings.openai_api_key2",
        "the password is on the fridge",
        "password=$DB_PASSWORD",
        "密码是什么？",
        "密码是我的生日",
        "the secret is patience",
        "the token is expired",
        "commit 3fa9c1d7e2b84a6f9c0d1e2f3a4b5c6d7e8f9a0b broke the token parser",
        "token bucket 3fa9c1d7e2b84a6f9c0d1e2f3a4b5c6d7e8f9a0b",
        "id 550e8400-e29b-41d4-a716-446655440000",
        "call me at +86 138 0013 8000 or 415-555-0132",
        "channel id 1488955296142590203",
        "my ID card is 110101199003078515",
        "order 1772975007032",
        "sk-learn-based-classification-pipeline",
        "http://localhost:8080/a@b",
        "I bear the bearer of bad news",
        "pin the note to the board",
        "4111 1111 1111 1112",
        "0000 0000 0000 0000",
        "the key to happiness is tea",
        "see src/tercet/text/redaction_secret_tokens_and_more.py for tokens",
    ],
)
def test_what_only_looks_like_a_secret_stays(text):
    assert redact(text) == type(redact(""))(text)


@settings(max_examples=80)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [
                    *SECRETS,
                    "password is ",
                    "password",
                    " for the door",
                    ":",
                    "密码是",
                    "token: ",
                    "://u:",
                    "@",
                    " ",
                    "\n",
                ]
            ),
            st.text(max_size=6),
        ),
        max_size=8,
    ).map("".join)
)
def test_twice_is_as_once(text):
    once = redact(text)
    assert redact(once.text).text == once.text


@pytest.mark.parametrize(
    "piece",
    [
        "sk-",
        "sk-a-",
        "eyJ",
        "a.",
        "-----BEGIN PRIVATE KEY-----",
        "password is ",
        "token ",
        "4111 ",
        "4",
        "://a:",
        "Bearer ",
        "密码是",
        "A",
        "password for ",
    ],
)
def test_no_repetition_makes_it_slow(piece):
    started = time.process_time()
    redact(piece * (100_000 // len(piece)))
    assert time.process_time() - started < 5
