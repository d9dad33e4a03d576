"""The loop of the README runs as it stands there."""

import re
from pathlib import Path

from tercet.app import build
from tercet.config import load_settings

README = Path(__file__).parents[2] / "README.md"


def test_the_loop_of_the_readme_recalls_what_it_was_told(home, monkeypatch, capsys):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    (example,) = [block for block in blocks if "agent_end" in block]
    assert len([line for line in example.splitlines() if line.strip()]) <= 15
    prompts = []
    code = example.replace("/tmp/tercet-chat", str(home))  # noqa: S108 - named in the README
    code = code.replace('return "Noted."', 'prompts.append(prompt); return "Noted."')
    said = iter(["I am allergic to penicillin", "hello", "am I allergic to penicillin?", ""])
    monkeypatch.setenv("TERCET_EMBEDDING__PROVIDER", "none")
    monkeypatch.setattr("builtins.input", lambda _: next(said))
    exec(compile(code, str(README), "exec"), {"prompts": prompts})  # noqa: S102 - our own README
    assert capsys.readouterr().out == "Noted.\n" * 3
    assert prompts[1] == "\n\nhello"
    assert "I am allergic to penicillin" in prompts[2]
    with build(load_settings({"home": str(home)})) as memory:
        assert [entry.text for entry in memory.list_entries("telegram:123")] == ["I am allergic to penicillin"]
