"""Where a memory may keep things, each for the same tests."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["folder", "bucket", "postgresql"])
def store(request: pytest.FixtureRequest) -> dict[str, str]:
    """The section ``store`` of the settings: a folder of the home, a bucket, a database."""
    if request.param == "bucket":
        server = request.getfixturevalue("s3_server")
        return server.settings(server.new_uri())
    if request.param == "postgresql":
        server = request.getfixturevalue("postgres_server")
        return {"url": server.url, "tenant": server.new_tenant()}
    return {}
