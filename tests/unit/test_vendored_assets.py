"""The scripts of others in the package are what they are said to be, with their licences."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

import tercet

ASSETS = Path(tercet.__file__).parent / "interfaces" / "inspector" / "assets"
OURS = {"keyboard.js", "graph.js"}
VENDORED = json.loads((ASSETS / "vendored.json").read_text("utf-8"))
LICENCES = Path(__file__).parents[2] / "docs" / "licences.md"


@pytest.mark.parametrize("each", VENDORED, ids=lambda each: each["package"])
def test_a_vendored_script_is_unchanged_and_has_its_licence_beside_it(each):
    assert hashlib.sha256((ASSETS / each["file"]).read_bytes()).hexdigest() == each["sha256"]
    assert (ASSETS / each["licenceFile"]).stat().st_size > 200
    assert each["package"] in LICENCES.read_text("utf-8")


def test_every_script_is_ours_or_listed():
    scripts = {file.name for file in ASSETS.glob("*.js")}
    assert scripts == {each["file"] for each in VENDORED} | (OURS & scripts)
