"""A chat about the weather is told from a question that has weather in it."""

import pytest

from tercet.recall.weather_talk import is_weather_talk


@pytest.mark.parametrize(
    "message",
    [
        "how is the weather today?",
        "What\u2019s the weather like?",
        "What a sunny day!",
        "Is it going to rain tomorrow?",
        "nice weather today, isn't it",
        "it's so hot",
        "30 degrees outside, too hot",
        "今天天气怎么样？",
        "明天会下雨吗？",
        "好冷啊",
        "今天太熱了",
    ],
)
def test_a_chat_about_the_weather_is_one(message):
    assert is_weather_talk(message)


@pytest.mark.parametrize(
    "message",
    [
        "do I like rain?",
        "did we have rain in Ostend?",
        "what did Tim say about the weather?",
        "which storm hit the boat?",
        "is the Sun newspaper mine?",
        "hello",
        "what is it?",
        "nice day",
        "我喜欢下雨吗？",
        "小明说天气怎么样？",
        "怎么样？",
        "",
        "30",
    ],
)
def test_a_question_to_the_memory_is_none(message):
    assert not is_weather_talk(message)
