"""Simple statements in Chinese, simplified and traditional."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tercet.capture.details import telling_words
from tercet.capture.subject_rules import Language, StatementRule

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_HEADS: Final = (
    "(?:工作|家里|公司|私人)?(?:手机号码|手機號碼|手机号|手機號|手机|手機|电话号码|電話號碼|电话|電話|邮箱|郵箱|电子邮箱|地址|住址|邮编)"
    "|生日|体重|體重|身高|年龄|年齡|房租|工资|工資|月薪|年薪|预算|預算|截止日期|职位|職位|微信号|微信|账号|血型|鞋码|时区"
    "|名字|姓名|老家|最喜欢的[^的是]{1,6}|最喜歡的[^的是]{1,6}"
)
_SOFT_HEADS: Final = (
    "牙医|牙醫|医生|醫生|家庭医生|家庭醫生|老板|老闆|经理|經理|领导|房东|房東|律师|律師|车|車"
    "|教练|教練|室友|公司|学校|學校"
)
_NOT_OWNER: Final = frozenset("他她它你您")
_KIN: Final = (
    "女儿|女兒|儿子|兒子|姐姐|妹妹|哥哥|弟弟|爸爸|妈妈|媽媽|老公|老婆|先生|太太|丈夫|妻子|爷爷|奶奶|外公|外婆"
    "|朋友|男朋友|女朋友|同事"
)
_OWNER: Final = rf"(?P<owner>我们|我們|我家|我(?:的)?(?:{_KIN})|我|[^\s我你您他她它的是在住搬有养養]{{2,4}})"
_NUMERAL: Final = r"(?:\d+|[一二两兩三四五六七八九十百]+)"
_MEASURE: Final = "[只隻个個条條匹台臺部辆輛头頭位名盆套]"
_CLAUSE_END: Final = r"[^,，、但而因如]{1,20}"
_TIME: Final = re.compile(r"\d{4}|年|夏天|冬天|周末|週末|期间|的时候|的時候|暂时|暫時")
_NO_HOME: Final = re.compile(
    r"[楼樓层層室]|办公|工位|部门|部門|组$|組$|酒店|宿舍|附近|旁边"
    r"|^(?:中国|中國|美国|美國|英国|英國|法国|德国|日本|韩国|加拿大|澳大利亚|国外|國外)$"
)
"""Not a town: a floor, a desk, or a country that a town may lie in."""


def _always(name: str) -> Callable[[Mapping[str, str | None]], str]:
    return lambda _: name


def _home(parts: Mapping[str, str | None]) -> str:
    value = parts["value"] or ""
    return "" if value.isascii() or _TIME.search(value) or _NO_HOME.search(value) else "home"


def _head(parts: Mapping[str, str | None]) -> str:
    return (parts["head"] or "").replace("号码", "号").replace("號碼", "号").replace("手機", "手机")


def _folded_owner(owner: str) -> str:
    if not owner or owner[0] in _NOT_OWNER:
        return ""
    folded = owner.replace("我的", "我")
    return {"我们": "我", "我們": "我", "我家": "我"}.get(folded, folded)


def _rule(
    pattern: str, attribute: Callable[[Mapping[str, str | None]], str], *, needs_mark: bool = False
) -> StatementRule:
    return StatementRule(re.compile(pattern), attribute, needs_mark)


_RULES: Final = (
    _rule(
        rf"{_OWNER}(?:一共|总共)?(?:养|養|有)(?:了|着)?(?P<value>{_NUMERAL}|没)(?:{_MEASURE})(?P<thing>[^,，了,]{{1,8}})了?",
        lambda parts: f"有{parts['thing']}",
    ),
    _rule(rf"{_OWNER}(?:已经|已經|刚|剛|就)?住(?:在|到)?(?P<value>{_CLAUSE_END}?)了?", _home),
    _rule(rf"{_OWNER}(?:已经|已經|刚|剛|最近)?搬(?:家)?(?:到|去|回|来|來)了?(?P<value>{_CLAUSE_END}?)了?", _home),
    _rule(rf"{_OWNER}的?(?P<head>{_HEADS})(?:是|为|為|:)?(?P<value>{_CLAUSE_END}?)了?", _head),
    _rule(rf"{_OWNER}的?(?P<head>{_SOFT_HEADS})(?:是|叫)(?P<value>{_CLAUSE_END}?)了?", _head, needs_mark=True),
    _rule(rf"{_OWNER}(?:今年)?(?:已经|已經)?(?P<value>{_NUMERAL})岁了?", _always("年龄")),
    _rule(rf"{_OWNER}(?:今年)?(?:已经|已經)?(?P<value>{_NUMERAL})歲了?", _always("年龄")),
    _rule(rf"{_OWNER}在(?P<value>[^,，]{{1,10}})(?:上班|工作)了?", _always("employer"), needs_mark=True),
    _rule(rf"{_OWNER}(?P<value>单身|單身|结婚|結婚|离婚|離婚|订婚|訂婚|已婚|未婚)了?", _always("marital status")),
)

_DENIAL: Final = re.compile(r"不再|再也不|没有再|没再|沒再|不(?=[^是同过過错錯])|没有|沒有|没|沒|戒了")
_PARTICLES: Final = frozenset({"了", "再", "还", "還", "又", "会", "會"})


def _polarised(plain: str) -> tuple[bool, tuple[str, ...]] | None:
    bare, denials = _DENIAL.subn("", _CHANGE.sub("", _LEAD.sub("", plain)))
    if denials > 1:
        return None
    return not denials, tuple(word for word in telling_words(bare) if word not in _PARTICLES)


_CHANGE: Final = re.compile(
    r"改成了?|改为了?|改為了?|改到了?|换成了?|換成了?|换到了?|變成了?|变成了?|现在|現在|目前|如今|从今以后"
    r"|以后(?=改)|新(?=的?(?:手机|电话|邮箱|地址|公司|老板|车|工作))|跳槽到了?"
)
_LEAD: Final = re.compile(r"^(?:(?:其实|其實|对了|對了|顺便说一下|更新一下|更正|记住|記住|请记住|哦|嗯)[,，:： ]*)+")

CHINESE: Final = Language(
    rules=_RULES,
    change=_CHANGE,
    becoming=(re.compile(r"(?:现在|現在)?(?:改成|改为|改為|换成|換成|变成|變成)了?"), "是"),
    lead=_LEAD,
    owner=_folded_owner,
    own=re.compile(r"我"),
    polarised=_polarised,
)
"""Chinese statements."""
