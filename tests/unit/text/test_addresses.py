"""An address is shown without what would let somebody in."""

from __future__ import annotations

import pytest

from tercet.text.addresses import shown_url


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://localhost:11434", "http://localhost:11434"),
        ("https://ana:s3cret@host.example/v1", "https://***@host.example/v1"),
        ("https://ana:s3/cret@host.example/v1", "https://***@host.example/v1"),
        ("https://token@host.example/v1", "https://***@host.example/v1"),
        ("https://host.example:8080/team@work", "https://host.example:8080/team@work"),
        ("https://host.example/v1?key=s3cret&model=m", "https://host.example/v1?key=***&model=***"),
        ("https://host.example/v1?s3cret", "https://host.example/v1?***"),
        ("s3://bucket/prefix", "s3://bucket/prefix"),
        ("/home/ana/notes?", "/home/ana/notes?"),
    ],
)
def test_an_address_is_shown_without_its_secrets(url, shown):
    assert shown_url(url) == shown
