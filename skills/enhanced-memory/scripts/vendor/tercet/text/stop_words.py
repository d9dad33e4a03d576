"""Words of a question that say nothing about what is sought.

Only queries drop them; documents keep every term. Question words are among them: leaving them in
costs .05 MRR on conversations (RANKING.md section 2). ``may`` is missing because of the month.
"""

from __future__ import annotations

import re
from typing import Final

_ENGLISH: Final = frozenset(
    """
    a an the this that these those there here
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    one ones someone anyone everyone something anything everything nothing
    what which who whom whose when where why how whatever whichever whoever whenever wherever however
    am is are was were be been being do does did doing done have has had having
    can could will would shall should might must ought need
    not no nor so too very just only also even still yet already ever
    and or but if then than because as while until though although whether unless
    of at by for with about against between into through during before after above below
    to from up down in out on off over under again further once upon within without toward towards
    per via among
    some any each every either neither both all few many much more most other another such own same
    say says said tell told know please let get got
    don doesn didn isn aren wasn weren won wouldn couldn shouldn cannot hasn haven hadn
    """.split(),  # noqa: SIM905  # reason: words read best as text
)

NEVER_NAMES: Final = frozenset({"a", "an", "the", "and", "of", "i'm", "i've", "i'd", "i'll"})
"""Stop words that no capital letter makes worth seeking."""

_CONTRACTION_ENDINGS: Final = ("n't", "'re", "'ve", "'ll", "'d", "'m", "'s")

_PHRASES: Final = """
    什么时候 什麼時候 甚麼時候 什么样 什麼樣 什么 什麼 甚麼 怎么样 怎麼樣 怎么办 怎麼辦 怎么 怎麼 怎样 怎樣
    为什么 為什麼 為甚麼 为何 為何 如何 哪些 哪个 哪個 哪一个 哪一個 哪一 哪里 哪裡
    哪裏 哪儿 哪兒 哪位 哪天 哪次 哪种 哪種 多少 几个 幾個 是不是 有没有 有沒有 能不能 可不可以 可以
    是否 请问 請問 请告诉 請告訴 告诉我 告訴我 帮我 幫我
    我们 我們 你们 你們 他们 他們 她们 她們 它们 它們 大家 这个 這個 那个 那個 这些 這些 那些 这里 這裡 那里 那裡
    这种 這種 那种 那種 这样 這樣 那样 那樣 这次 這次 那次 这是 這是 那是 一下 一个 一個 一些
    因为 因為 所以 但是 而且 或者 还是 還是 如果 以及 并且 並且 虽然 雖然
    目前 分别 分別 各自 已经 已經 还有 還有 需要 应该 應該 关于 關於 对于 對於
""".split()  # noqa: SIM905  # reason: words read best as text

CHINESE_PHRASE: Final = re.compile("|".join(sorted(map(re.escape, _PHRASES), key=len, reverse=True)))
"""Function words of two characters or more, simplified and traditional, the longest first."""


def is_stop_word(word: str) -> bool:
    """Tell whether a case-folded English word says nothing by itself; contractions count as their base."""
    if word in _ENGLISH:
        return True
    for ending in _CONTRACTION_ENDINGS:
        if word.endswith(ending):
            base = word.removesuffix(ending)
            return base in _ENGLISH or base + "n" in _ENGLISH
    return False
