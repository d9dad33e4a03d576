"""Simple statements in English."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tercet.capture.details import telling_words
from tercet.capture.subject_rules import Language, StatementRule
from tercet.text.word_forms import stem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_HARD_HEADS: Final = (
    "phone number|phone|mobile number|mobile|email address|email|e-mail|address|postcode|zip code|age|weight|height"
    "|rent|salary|budget|deadline|due date|start date|username|handle|time zone|timezone|shoe size|blood type"
    "|licence plate|license plate|room number|birthday|surname|nickname|bedtime|hometown"
)
_ROLES: Final = (
    "boss|manager|dentist|gp|therapist|landlord|landlady|accountant|partner|girlfriend|boyfriend|wife|husband|name"
    "|(?:\\w+'s )?name"
)
_SOFT_HEADS: Final = (
    "doctor|lawyer|car|bike|laptop|flatmate|roommate|school|office|gym|insurance|provider|tutor|coach|hairdresser"
    "|employer|bank|job title"
)
_EVENTS: Final = (
    "(?:[\\w'-]+ ){0,2}(?:appointment|exam|interview|wedding|surgery|operation|check-?up|graduation|due date)"
    "|(?:flight|train|bus|ferry) (?:to|from) \\w+(?: \\w+)?"
)
_WHEN: Final = (
    r"(?P<value>(?=.*(?:\d|day\b|january|february|march|april|may|june|july|august|september|october|november"
    r"|december|noon))[\w:., -]{1,40})"
)
_PEOPLES: Final = r"\w+(?:ish|ese|ench|erman|alian|ican|ssian|ndian|tch|reek|erian)\b"
_NAMED: Final = rf"(?P<value>(?:an? |the )?(?!{_PEOPLES})(?-i:[A-Z])[\w.&'-]*(?: (?-i:[A-Z])[\w.&'-]*){{0,3}})"
_PERSON: Final = r"(?P<owner>i|we|my(?: \w+){1,2}|our \w+|[A-Z][\w-]+(?: [A-Z][\w-]+)?)"
_POSSESSOR: Final = r"(?P<owner>my|our|(?:my |our )?[\w-]+(?: [\w-]+)?'s)"
_BE: Final = r"(?:'m|'s|'re| am| is| are)"
_VALUE: Final = (
    r"(?P<value>(?:(?! and | but | because | when | while | if | or | until | during | unless | for ).){1,60}?)"
)
_NUMBER: Final = (
    r"(?:\d+|no|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|twenty)"
)
_HOME: Final = r"(?:flat|house|apartment|studio|room|village|town|city|cottage|farm|condo|dorm)"
_NO_PLACE: Final = (
    "linux|windows|mac|macos|android|ios|vim|neovim|emacs|vs ?code|obsidian|notion|postgres|postgresql|mysql|sqlite"
    "|python|rust|go|golang|java|typescript|javascript|kotlin|kubernetes|docker|github|gitlab|slack|teams|signal"
    "|telegram|whatsapp|discord|gmail|outlook|chrome|firefox|safari|aws|azure|gcp|react|vue|svelte|arch|debian|ubuntu"
    "|fedora|nixos|zsh|fish|bash|spotify|kindle|excel|sheets|jira|linear|trello|markdown|latex|org"
)
_TIME_IN_PLACE: Final = re.compile(
    r"\b(?:in (?:the )?(?:summer|winter|spring|autumn|fall)|on weekends?|during|last|next|\d{4}|ago|for|since|as a)\b",
    re.IGNORECASE,
)
_WIDE_PLACES: Final = frozenset(
    [
        "europe",
        "asia",
        "africa",
        "america",
        "south america",
        "north america",
        "the us",
        "the usa",
        "usa",
        "us",
        "united states",
        "the united states",
        "uk",
        "the uk",
        "united kingdom",
        "england",
        "scotland",
        "wales",
        "ireland",
        "france",
        "germany",
        "spain",
        "italy",
        "portugal",
        "belgium",
        "the netherlands",
        "netherlands",
        "holland",
        "switzerland",
        "austria",
        "poland",
        "sweden",
        "norway",
        "denmark",
        "finland",
        "greece",
        "turkey",
        "russia",
        "ukraine",
        "china",
        "japan",
        "korea",
        "south korea",
        "india",
        "thailand",
        "vietnam",
        "indonesia",
        "malaysia",
        "philippines",
        "australia",
        "new zealand",
        "canada",
        "mexico",
        "brazil",
        "argentina",
        "chile",
        "colombia",
        "peru",
        "egypt",
        "nigeria",
        "kenya",
        "south africa",
        "morocco",
        "israel",
        "california",
        "texas",
        "florida",
        "bavaria",
        "flanders",
        "catalonia",
    ]
)
"""Living in a country and in one of its towns are both true."""


def _always(name: str) -> Callable[[Mapping[str, str | None]], str]:
    return lambda _: name


def _home(parts: Mapping[str, str | None]) -> str:
    value = (parts["value"] or "").casefold()
    if _TIME_IN_PLACE.search(value) or value in _WIDE_PLACES:
        return ""
    # "in a small flat" says how one lives, "in a flat in Leeds" where.
    return "" if re.match(r"(?:an?|the|my|our) ", value) and " in " not in value else "home"


def _count(parts: Mapping[str, str | None]) -> str:
    thing = " ".join(stem(word) for word in telling_words(parts["thing"] or ""))
    return f"have {thing}" if thing else ""


def _head(parts: Mapping[str, str | None]) -> str:
    name = re.sub(r"^(?:new|current) ", "", (parts["head"] or "").casefold())
    name = name.replace("favorite", "favourite").replace("colour", "color").replace("e-mail", "email")
    return {"mobile number": "mobile", "email address": "email", "phone number": "phone"}.get(name, name)


def _rule(
    pattern: str, attribute: Callable[[Mapping[str, str | None]], str], *, needs_mark: bool = False
) -> StatementRule:
    return StatementRule(re.compile(pattern, re.IGNORECASE), attribute, needs_mark)


def _folded_owner(owner: str) -> str:
    folded = owner.casefold().removesuffix("'s").replace("our ", "my ")
    if folded.split(" ")[0] in {"he", "she", "it", "they", "his", "her", "their", "its", "your", "you", "the", "this"}:
        return ""
    return {"my": "i", "our": "i", "we": "i"}.get(folded, folded)


_RULES: Final = (
    _rule(
        rf"{_PERSON}(?:'ve| have| has| own| owns)(?: got)? (?P<value>{_NUMBER}) (?P<thing>[\w-]+(?: [\w-]+){{0,3}})",
        _count,
    ),
    _rule(rf"{_PERSON} (?:live|lives) (?:in|at|near) {_VALUE}", _home),
    _rule(rf"{_PERSON}{_BE} (?:living|based) in {_VALUE}", _home),
    _rule(
        rf"{_PERSON}(?:'ve| have| has)?(?: just| recently| finally)? (?:moved|relocated)(?: back)? to "
        rf"(?P<value>(?:(?:a|an|our|my) (?:[\w-]+ )?{_HOME}\b[\w ,-]*"
        rf"|(?!(?:the|a|an|my|our|his|her|this|that|another|new|{_NO_PLACE})\b)"
        rf"(?-i:[A-Z])[\w'-]*(?:,? (?-i:[A-Z])[\w'-]*){{0,3}}))",
        _home,
    ),
    _rule(rf"{_POSSESSOR} (?P<head>(?:(?!is\b|was\b)[\w-]+ ){{0,2}}(?:{_HARD_HEADS})){_BE} {_VALUE}", _head),
    _rule(rf"{_POSSESSOR} (?P<head>{_EVENTS})(?:{_BE}| leaves| departs| starts| begins)(?: on| at)? {_WHEN}", _head),
    _rule(rf"{_POSSESSOR} (?P<head>(?:new |current )?(?:{_ROLES}))(?:{_BE}| is called) {_NAMED}", _head),
    _rule(rf"{_POSSESSOR} (?P<head>(?:current |new )?(?:favou?rite) [\w-]+){_BE} {_VALUE}", _head),
    _rule(rf"{_POSSESSOR} (?P<head>(?:new |current )?(?:{_SOFT_HEADS})){_BE} {_NAMED}", _head, needs_mark=True),
    _rule(rf"{_PERSON}{_BE} (?P<value>[\w-]+) years? old", _always("age")),
    _rule(rf"{_PERSON} weighs? (?P<value>[\d.,]+ ?(?:kg|kilos?|pounds?|lbs?|stone))", _always("weight")),
    _rule(rf"{_PERSON}{_BE} (?P<value>single|married|divorced|engaged|widowed|separated)", _always("marital status")),
    _rule(
        rf"{_PERSON}(?:{_BE})? (?:work|works|working) (?:at|for) (?P<value>(?:the )?[\w.&'-]+(?: [\w.&'-]+){{0,3}})",
        _always("employer"),
        needs_mark=True,
    ),
)

_DENIAL: Final = re.compile(
    r"\b(?:do not|does not|did not|don't|doesn't|didn't|no longer|not|never|isn't|aren't|can't|cannot|won't"
    r"|have no|has no)\b",
    re.IGNORECASE,
)
_STOPPED: Final = re.compile(r"\b(?:have |has )?(?:stopped|quit|gave up|given up) (?=\w+ing\b)", re.IGNORECASE)
_AFTERTHOUGHT: Final = re.compile(r"\b(?:any ?more|any longer|again|now|at all)\b", re.IGNORECASE)
_AUXILIARY: Final = frozenset({"do", "does", "did"})
_SPEAKER: Final = re.compile(r"(?:i|we|my|our)\b", re.IGNORECASE)


def _polarised(plain: str) -> tuple[bool, tuple[str, ...]] | None:
    """Split off what denies; only of the speaker, or with the same words before the verb."""
    bare, denials = _DENIAL.subn(" ", _AFTERTHOUGHT.sub(" ", _LEAD.sub("", plain)))
    bare, stopped = _STOPPED.subn(" ", bare)
    if denials + stopped > 1:
        return None
    words = tuple(stem(word) for word in telling_words(bare) if word not in _AUXILIARY)
    return not (denials or stopped), words


_LEAD: Final = re.compile(
    r"^(?:(?:by the way|btw|fyi|actually|update|correction|well|so|oh|just so you know|remember that|note that|"
    r"please remember that|please note that|remember|ok|okay|hey|hi)\b[ ,:-]*)+",
    re.IGNORECASE,
)

ENGLISH: Final = Language(
    rules=_RULES,
    change=re.compile(
        r"(?<!right )(?<!for )(?<!by )\b(?:now|these days|nowadays|from now on|as of (?:today|now)|instead|"
        r"any ?more|no longer|changed to|has become|new(?= \w+(?: \w+)? is\b))\b",
        re.IGNORECASE,
    ),
    becoming=(re.compile(r"\b(?:has |have )?(?:now )?changed to\b|\bhas become\b", re.IGNORECASE), "is"),
    lead=_LEAD,
    owner=_folded_owner,
    own=_SPEAKER,
    polarised=_polarised,
)
"""English statements."""
