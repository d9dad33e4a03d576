"""Names of files and notes in one Unicode form."""

from __future__ import annotations

import unicodedata


def nfc(text: str) -> str:
    """Return ``text`` in NFC, the form in which names are stored and compared.

    macOS hands out decomposed names; the same name must not be two files.
    """
    return text if text.isascii() else unicodedata.normalize("NFC", text)
