"""Pure: numbers of things in plain English."""


def counted(number: int, thing: str, verb: str = "") -> str:
    """Return ``1 file`` or ``2 files``; with a verb ``1 file waits`` or ``2 files wait``."""
    if number == 1:
        return f"1 {thing} {verb}s" if verb else f"1 {thing}"
    return f"{number} {thing}s {verb}" if verb else f"{number} {thing}s"
