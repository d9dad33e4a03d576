"""Pure: whether a message only chats about the weather as it is or will be.

No memory knows today's weather, and every word of such a chat stands somewhere in what was said for
a year. A message with any further word, a name or the speaker's own person, is no chat: "did we have
rain in Ostend?" asks the memory.
"""

from __future__ import annotations

import re
from typing import Final

_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_WEATHER: Final = frozenset(
    """
    weather rain rains raining rainy snow snows snowing snowy sun sunny sunshine cloud clouds cloudy overcast wind windy
    storm stormy thunder fog foggy mist misty hail frost frosty hot cold warm chilly freezing humid muggy temperature
    temperatures forecast degrees
    """.split()  # noqa: SIM905  # reason: words read best as text
)
_AROUND_IT: Final = frozenset(
    """
    a an and any at be been but for in is isn't it it's its of on or out outside over the that that's there there's this
    to today today's tonight tomorrow tomorrow's now right here will won't going gonna go get getting does
    doesn't do don't look looks looking feel feels like stay stays what what's whats how how's hows when which when's
    day days morning afternoon evening night week week's weekend monday tuesday wednesday thursday friday saturday
    sunday nice lovely beautiful great good bad awful terrible gorgeous perfect fine dry wet mild cool pretty quite
    really very so too such again still finally all more much wow ah oh hey hi hello well yes no not huh eh
    """.split()  # noqa: SIM905  # reason: as above
)
_CHINESE: Final = re.compile(
    r"(?:(?P<weather>天气|天氣|下雨|下雪|有雨|有雪|雨天|雨|雪|晴天|晴朗|晴|太阳|太陽|阴天|陰天|多云|多雲|刮风|颳風|台风|颱風"
    r"|雾|霧|炎热|炎熱|热|熱|寒冷|冷|暖和|凉快|涼快|闷热|悶熱|气温|氣溫|预报|預報)"
    r"|今天|今晚|今日|明天|后天|後天|现在|現在|外面|这里|這裡|早上|上午|中午|下午|晚上|周末|週末|这周|這週|怎么样|怎麼樣|怎样"
    r"|怎樣|如何|什么|什麼|会不会|會不會|是不是|多少度|几度|幾度|不错|不錯|[会會吗嗎呢啊吧了的地得是有好真很太挺这這么麼多大不又还還要呀哦啦嘛出])"
)


def is_weather_talk(message: str) -> bool:
    """Say whether every word is one of such a chat, and one at least of the weather itself."""
    words = _WORD.findall(message.casefold().replace("’", "'"))
    found = [_weather_in(word) for word in words]
    return None not in found and any(found)


def _weather_in(word: str) -> bool | None:
    """Return whether a word is of the weather, or only stands around it; None when it does neither."""
    if word in _WEATHER:
        return True
    if word in _AROUND_IT:
        return False
    at, weather = 0, False
    while at < len(word):
        part = _CHINESE.match(word, at)
        if part is None:
            return None
        weather, at = weather or part["weather"] is not None, part.end()
    return weather
