"""Markdown as pages show it: written by anybody, so it loads nothing and runs nothing.

Raw HTML is text, pictures are links, and a link is live only to a file of the memory, to ``http(s)`` or
to ``mailto``. A file is rendered in spans of lines, since its chunks are shown apart: what a span
continues from above it (code, a table, a nested list) is begun anew.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlsplit

from tercet.interfaces.inspector.file_links import heading_id
from tercet.text.notes.links import links_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, MutableMapping, Sequence
    from typing import Any

    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token
    from markupsafe import Markup

    from tercet.interfaces.inspector.file_links import Target
    from tercet.model import WikiLink

_WIKILINK: Final = re.compile(r"!?\[\[[^\[\]\n]{1,1000}\]\]")
_LIVE: Final = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_RELATIVE: Final = re.compile(r"(?![/\\]{2})[^:]*(?:[#?].*)?")
_CLOSING: Final = re.compile(r"[\s>]*(`{3,}|~{3,})\s*")
_INDENT: Final = re.compile(r"[ \t]*")
_LOWEST: Final = 6


class Links(Protocol):
    """Knows where links lead."""

    def note(self, link: WikiLink) -> Target:
        """Return where a wikilink leads."""
        ...

    def file(self, address: str) -> Target:
        """Return where an address without a scheme leads."""
        ...


class MarkdownFile:
    """One file, of which spans are rendered in order."""

    def __init__(self, lines: Sequence[str], body_line: int, links: Links) -> None:
        """Read what spans must know of each other.

        Args:
            lines: Of the whole file, without their ends.
            body_line: 1-based, the first behind the front matter.
            links: Where its links lead.
        """
        self._lines = lines
        self._body = body_line - 1
        self._links = links
        self._parser = _parser()
        self._env: MutableMapping[str, Any] = {}
        tokens: list[Token] = []
        self._parser.block.parse("\n".join(lines[self._body :]), self._parser, self._env, tokens)
        self._codes = [_span(token, self._body) for token in tokens if token.type in {"fence", "code_block"}]
        self._tables = [_span(token, self._body) for token in tokens if token.type == "table_open"]
        self._ids: set[str] = set()

    def html(self, first: int, last: int) -> Markup:
        """Return lines ``first`` to ``last`` (1-based, inclusive) as HTML; the front matter is left out.

        Blocks have the ids ``L12`` of the lines on which they begin, headings those of ``heading_id``.
        """
        from markupsafe import Markup

        start, end = max(first - 1, self._body), last
        tokens = list(self._continued_code(start, end))
        start = max([start, *(token.map[1] for token in tokens if token.map)])
        tokens += self._parsed(start, end)
        self._number(tokens, first)
        for token in tokens:
            if token.children:
                line = token.map[0] + 1 if token.map else 0
                token.children = list(self._linked(self._lined(token.children, line)))
        rendered = self._parser.renderer.render(tokens, self._parser.options, self._env)
        return Markup(rendered)  # noqa: S704 - the one place: markdown-it escapes all that is no markup of its own

    def _continued_code(self, start: int, end: int) -> Iterator[Token]:
        """Yield the code that begins above a span and goes on in it."""
        from markdown_it.token import Token

        for begun, until in self._codes:
            if begun < start < min(until, end + 1):
                lines = list(self._lines[start : min(until, end)])
                if until <= end and lines and _CLOSING.fullmatch(lines[-1]):
                    lines.pop()
                content = "\n".join(_dedented(lines, _indent_of(self._lines[begun])))
                yield Token("fence", "code", 0, map=[start, min(until, end)], content=content, block=True)

    def _parsed(self, start: int, end: int) -> list[Token]:
        if start >= end:
            return []
        lines = list(self._lines[start:end])
        if not any(begun == start for begun, _ in self._codes):
            first = next((line for line in lines if line.strip()), "")
            lines = _dedented(lines, _indent_of(first))
        above = next((begun for begun, until in self._tables if begun + 1 < start < until), None)
        header = [] if above is None else [line.strip() for line in self._lines[above : above + 2]]
        tokens = self._parser.parse("\n".join([*header, *lines]), self._env)
        for token in tokens:
            if token.map:
                token.map = [line + start - len(header) for line in token.map]
        return tokens

    def _number(self, tokens: list[Token], first: int) -> None:
        """Give blocks their ids; the first line of a span always has one."""
        for at, token in enumerate(tokens):
            if token.type in {"heading_open", "heading_close"}:
                # The page has the one heading of the first level.
                token.tag = f"h{min(_LOWEST, int(token.tag[1]) + 1)}"
            if token.type == "heading_open":
                self._name(tokens[at + 1])
            if token.type == "table_open":
                token.attrSet("tabindex", "0")  # a wide table is moved sideways, with keys too
            if "style" in token.attrs:
                # Of an aligned column: the pages allow no styles of their own.
                token.attrs = {"class": str(token.attrs["style"]).partition(":")[2]}
            if token.map and token.type != "inline" and not token.hidden and token.map[0] + 1 >= first:
                self._identify(token, f"L{token.map[0] + 1}")
        if f"L{first}" not in self._ids:
            tokens[:0] = self._anchor(f"L{first}")

    def _name(self, heading: Token) -> None:
        if heading.children:
            name = heading_id("".join(child.content for child in heading.children))
            heading.children[:0] = self._anchor(name) if name not in self._ids else []

    def _anchor(self, name: str) -> list[Token]:
        opening, closing = _tags("span")
        self._identify(opening, name)
        return [opening, closing]

    def _identify(self, token: Token, name: str) -> None:
        if name not in self._ids:
            self._ids.add(name)
            token.attrSet("id", name)

    def _lined(self, tokens: Sequence[Token], line: int) -> Iterator[Token]:
        """Yield the tokens of a paragraph, with the ids of the lines that begin in it."""
        for token in tokens:
            yield token
            if token.type in {"softbreak", "hardbreak"}:
                line += 1
                if f"L{line}" not in self._ids:
                    yield from self._anchor(f"L{line}")

    def _linked(self, tokens: Iterable[Token]) -> Iterator[Token]:
        """Yield the tokens of a line with links that lead somewhere, and no pictures."""
        inside: list[Token] = []
        """The link that is open, and what follows in it."""
        for token in tokens:
            if token.type == "image":
                yield from self._picture(token, is_in_link=bool(inside))
            elif token.type == "wikilink":
                yield from self._wikilink(token, is_in_link=bool(inside))
            elif token.type == "link_open":
                inside = [token]
                self._direct(token)
                yield token
            elif token.type == "link_close" and inside:
                token.tag = inside[0].tag
                yield token
                yield from _host(inside[0], "".join(each.content for each in inside))
                inside = []
            else:
                inside += [token] if inside else []
                yield token

    def _direct(self, opening: Token) -> None:
        """Make a link lead where it may, or nowhere."""
        address = str(opening.attrs.get("href", ""))
        if _LIVE.match(address):
            # htmx would fetch what has our host's name, on whichever port.
            opening.attrs = {"href": address, "rel": "noopener noreferrer", "hx-boost": "false"}
            return
        if not _RELATIVE.fullmatch(address):
            _kill(opening, f"not followed: {address}")
            return
        _lead(opening, self._links.file(address))

    def _picture(self, token: Token, *, is_in_link: bool) -> Iterator[Token]:
        label = _text(f"picture: {token.content or 'without a description'}")
        if is_in_link:
            yield label
            return
        opening, closing = _tags("a")
        opening.attrs["href"] = str(token.attrs.get("src", ""))
        self._direct(opening)
        closing.tag = opening.tag
        yield from (opening, label, closing, *_host(opening, label.content))

    def _wikilink(self, token: Token, *, is_in_link: bool) -> Iterator[Token]:
        link: WikiLink = token.meta["link"]
        label = _text(link.text or "#".join(part for part in (link.target, link.heading) if part))
        if is_in_link:
            yield label
            return
        opening, closing = _tags("a")
        _lead(opening, self._links.note(link))
        closing.tag = opening.tag
        yield from (opening, label, closing)


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
    parser.inline.ruler.before("link", "wikilink", _read_wikilink)
    return parser


def _read_wikilink(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - as the parser calls it
    match = _WIKILINK.match(state.src, state.pos, state.posMax)
    link = next(iter(links_of(match[0])), None) if match else None
    if match is None or link is None:
        return False
    if not silent:
        state.push("wikilink", "", 0).meta = {"link": link}
    state.pos = match.end()
    return True


def _lead(opening: Token, target: Target) -> None:
    if target.address:
        opening.tag, opening.attrs = "a", {"href": target.address, "title": target.told}
    else:
        _kill(opening, target.told)


def _kill(opening: Token, why: str) -> None:
    opening.tag, opening.attrs = "span", {"class": "broken", "title": why}


def _host(opening: Token, shown: str) -> Iterator[Token]:
    """Yield where a link out of the memory leads, unless its text says so."""
    address = str(opening.attrs.get("href", ""))
    if opening.tag != "a" or not _LIVE.match(address):
        return
    try:
        parsed = urlsplit(address)
        host = parsed.hostname or parsed.path
    except ValueError:
        host = address
    if host and host not in shown:
        mark, end = _tags("span")
        mark.attrs["class"] = "host"
        yield from (mark, _text(f" ({host})"), end)


def _tags(tag: str) -> tuple[Token, Token]:
    from markdown_it.token import Token

    return Token(f"{tag}_open", tag, 1), Token(f"{tag}_close", tag, -1)


def _text(content: str) -> Token:
    from markdown_it.token import Token

    return Token("text", "", 0, content=content)


def _span(token: Token, above: int) -> tuple[int, int]:
    """Return the 0-based lines of a block in its file, the end exclusive."""
    begun, until = token.map or (0, 0)
    return begun + above, until + above


def _indent_of(line: str) -> int:
    indent = _INDENT.match(line)
    return indent.end() if indent else 0


def _dedented(lines: Sequence[str], indent: int) -> list[str]:
    """Return lines without as much of their indent."""
    return [line[min(indent, _indent_of(line)) :] for line in lines]
