"""Text that gives orders to a model rather than tells about a person (P1, P3).

It is stored as untrusted, so that it is found when searched for and never put into a prompt by
itself. A false alarm costs an entry its place in recall, a miss costs more: recall fences both.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_GAP: Final = r"(?:\W{1,3}\w{1,20}){0,4}?\W{1,3}"
_RULES: Final = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directives?|polic(?:y|ies)|restrictions?|programming|orders)\b"
)
_WORDS: Final = r"(?:\W{1,3}\w{1,20}){0,4}?"
_ENGLISH: Final = (
    rf"\b(?:ignore|disregard|forget|override|bypass|overrule|drop){_GAP}"
    rf"(?:previous|prior|above|earlier|preceding|former|existing|all|any|every|your|system|safety){_GAP}{_RULES}"
    r"|\b(?:ignore|disregard) (?:everything|all|anything) (?:above|before|previous|prior|you (?:were|have been) told)\b"
    r"|\byou are (?:now|no longer) (?:an? |in |the |bound |restricted|limited)(?:\w{1,20} ){0,4}?"
    r"(?:mode|dan|unrestricted|jailbroken|unfiltered|admin\w*|root|by|rules?|assistant|ai|model)\b"
    r"|\b(?:enable|enter|activate|switch (?:in)?to) (?:the )?(?:developer|dan|god|jailbreak|admin|unrestricted) mode\b"
    rf"|\b(?:reveal|print|show|repeat|leak|output|display|expose){_WORDS}\W{{1,3}}"
    r"(?:system prompt|initial instructions|hidden instructions|developer message)"
    r"|\bnew (?:system )?(?:instructions?|directives?)\W{0,2}:"
    r"|\b(?:do not|don't|never) (?:tell|inform|alert|notify|let)(?: this to)? the user\b"
    rf"|\b(?:send|forward|post|upload|exfiltrate|e-?mail|leak){_WORDS}\W{{1,3}}"
    r"(?:keys?|passwords?|credentials?|secrets?|tokens?|memor(?:y|ies)|conversations?|chat history|files)"
    rf"{_WORDS}\W{{1,3}}to\W{{1,3}}(?:https?|\S{{1,64}}@|this (?:address|server|url)|the following)"
    r"|\b(?:when(?:ever)?|if|after) (?:you|the (?:assistant|agent|model|ai)) (?:read|see|recall|retrieve|load)s? this\b"
    rf"|\bpretend (?:that )?(?:you|there){_WORDS}\W{{1,3}}no (?:rules|restrictions|limits|guidelines)\b"
    rf"|\b(?:respond|answer|reply|act){_WORDS} without (?:any )?(?:restrictions|filters|limitations|rules)\b"
    r"|\b(?:system|assistant|developer) ?: ?(?:you (?:are|must|will)|ignore|override|from now on|always|never)\b"
    r"|\bfollow (?:the|these|all) (?:hidden |new |following )?instructions (?:below|hidden|in this|exactly|from now)"
)
_MARKUP: Final = (
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>"
    r"|\[/?inst\]|<</?sys>>|</?(?:system|assistant|tool_call|function_calls)(?: [^<>]{0,80})?>"
    r"|(?:^|\n) ?#{1,6} ?(?:system|instructions?|system prompt) ?:? ?(?:\n|$)"
)
_RULES_CHINESE: Final = "(?:指令|指示|提示词|提示詞|提示|规则|規則|规定|設定|设定|命令|限制|约束|約束)"
_CHINESE: Final = (
    r"(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要理會|别管|別管|不用管|跳过|跳過|绕过|繞過|违反|違反|覆盖|覆蓋).{0,8}"
    rf"(?:之前|以前|先前|此前|前面|上面|以上|上述|所有|全部|一切|任何|你的|系统|系統|安全).{{0,8}}{_RULES_CHINESE}"
    r"|你(?:现在|現在|从现在起|從現在起|从此|從此)?(?:是|扮演|变成|變成|进入|進入).{0,15}"
    r"(?:没有|沒有|不受|无|無|不再有|突破).{0,6}(?:限制|约束|約束|规则|規則)"
    r"|(?:输出|輸出|打印|列印|泄露|洩露|显示|顯示|透露|复述|複述|公开|公開).{0,10}"
    r"(?:系统提示|系統提示|提示词|提示詞|初始指令|system prompt)"
    r"|(?:不要|别|別|不得|禁止)(?:告诉|告訴|让|讓|通知|提醒).{0,4}(?:用户|用戶|使用者)"
    r"|(?:进入|進入|启用|啟用|开启|開啟|切换到|切換到).{0,4}(?:越狱|越獄|开发者|開發者|无限制|無限制|上帝)模式"
    r"|(?:密码|密碼|密钥|密鑰|凭证|憑證|对话|對話|聊天记录|聊天記錄|记忆|記憶).{0,10}"
    r"(?:发送|發送|发|發|上传|上傳|转发|轉發)(?:到|给|給|至).{0,6}(?:http|网址|網址|服务器|伺服器|\S{1,64}@)"
    r"|(?:新的|最新)(?:系统|系統)?(?:指令|指示) ?[:：]"
)
_ANY: Final = re.compile(f"{_ENGLISH}|{_MARKUP}|{_CHINESE}")
_INVISIBLE: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_TAGS: Final = {0xE0000 + code: chr(code) for code in range(0x20, 0x7F)}
"""Invisible letters that a model may read as the letters they stand for."""
_SPACES: Final = re.compile(r"[^\S\n]+")


def looks_like_injection(text: str) -> bool:
    """Whether a text holds what reads as an order to a model, in English or Chinese.

    Width, case, invisible characters and spacing do not hide it.
    """
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text.translate(_TAGS))).casefold()
    return _ANY.search(_SPACES.sub(" ", plain)) is not None
