"""The first block of the README is what its commands print, and the demo shows the answers."""

import importlib.util
import re
import shlex
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
SCORE = re.compile(r"(?<= )0\.\d{3}(?= )")


def trimmed(text):
    return [line.rstrip() for line in text.strip("\n").split("\n")]


def test_the_first_block_of_the_readme_is_what_the_commands_print(tercet_with_model, monkeypatch):
    monkeypatch.chdir(ROOT)
    printed = []
    block = re.search(r"```\n(\$ tercet index .*?)```", README, re.DOTALL)[1]
    commands = [line for line in block.split("\n") if line.startswith("$ ")]
    for command in commands:
        ran = tercet_with_model(*shlex.split(command)[2:])
        assert (ran.code, ran.err) == (0, "")
        printed += [command, *trimmed(ran.out)]
    assert len(commands) == 2
    assert [SCORE.sub("0", line) for line in printed] == [SCORE.sub("0", line) for line in trimmed(block)]
    (said,), (real,) = SCORE.findall(block), SCORE.findall("\n".join(printed))
    assert abs(float(said) - float(real)) < 0.01, "the README shows another score"


def test_the_chinese_query_of_the_readme_finds_its_answer(tercet_with_model):
    (query,) = re.findall(r'tercet search "([^"]*[一-鿿][^"]*)"', README)
    tercet_with_model("index", str(ROOT / "examples" / "workspace"))
    assert "三月初八" in tercet_with_model("search", "-n", "1", query).out


def test_each_question_of_the_demo_shows_the_line_that_answers(capsys):
    spec = importlib.util.spec_from_file_location("demo", ROOT / "examples" / "demo.py")
    demo = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(demo)
    demo.main()
    out = capsys.readouterr().out
    for answer in ("error `E-4117`", "hepatitis A | 2025-12 | 2026-06", "Ines: penicillin", "三月初八"):
        assert answer in out
