"""What tells about a person is kept, errands and small talk are not (R33, U9)."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.capture.rules import rule
from tercet.capture.selection import RuleExtractor
from tercet.capture.sentences import sentences

RULES = RuleExtractor()

KEPT = {
    "preference": [
        "Hiking is my favourite hobby",
        "I prefer window seats, please book me one",
        "I can't stand cilantro",
        "Please always answer in German",
        "From now on run the full test suite before review",
        "My sister loves old maps",
        "我喜欢喝茶",
        "我最喜歡的顏色是藍色",
        "以后部署前先跑一遍 smoke test",
        "我每天早上六点起床",
    ],
    "fact": [
        "High blood pressure",
        "I have two cats",
        "I'm allergic to nuts",
        "I no longer drink coffee",
        "we moved the stand-up to 9:45",
        "Hi! I'm a nurse from Leeds.",
        "My wife's birthday is on 12 May",
        "我有三隻貓",
        "我对花生过敏",
        "我搬到北京了",
        "会议改到周五三点",
        "我今年三十岁",
    ],
    "decision": ["We decided to use PostgreSQL", "Let's go with option B for the logo", "我们决定用 PostgreSQL"],
    "entity": [
        "my email is bo@example.org",
        "Dr. Smith is my dentist.",
        "Anna works at Siemens",
        "我老婆叫小梅",
        "叫我阿明",
        "王芳是我的同事",
    ],
    "other": ["History degree", "Hello Kitty mug"],
}

DROPPED = [
    "please fix the test",
    "Can you run that example to show the output?",
    "What did we decide about the cache TTL?",
    "do you remember my birthday?",
    "book the 12:30 table",
    "If I like tea, what should I drink?",
    "I have a question",
    "I have to go",
    "I like it",
    "I'd like you to fix the login page",
    "my code is broken",
    "remember to run the tests",
    "The weather is lovely",
    "Good morning",
    "Thank you so much!",
    "lol that was fun",
    "今天天气怎么样？",
    "帮我修复这个bug",
    "我喜欢什么颜色？",
    "如果我有两只猫呢",
    "好的，谢谢",
    "我有个问题",
    "继续",
    "",
    # A question holds a guess: neither what is asked nor the guess is told.
    "what am I allergic to, penicillin?",
    "what's my name again, Bram?",
    "who is it I'm married to, Ines?",
    "my dog is called what, Rex?",
    "I'm allergic to what again, nuts, cats?",
    "Wasn't my appointment on May 3rd, or was it the 4th?",
    "In which year did I move to Rome, 2019?",
    "whose birthday is on May 3rd, Ann's?",
    "how old am I, 34?",
    "I can't remember where I live",
    "I forgot what I'm allergic to, was it penicillin?",
    "我对什么过敏，青霉素？",
    "我养了几只猫，两只？",
]  # fmt: skip


@pytest.mark.parametrize(("category", "text"), [(name, text) for name, texts in KEPT.items() for text in texts])
async def test_what_tells_about_a_person_is_kept_whole(category, text):
    kept = await RULES.extract(text)
    assert len(kept) == 1
    assert kept[0].category == category
    assert kept[0].text in text
    assert all(0.5 <= one.importance <= 0.9 for one in kept)


@pytest.mark.parametrize("text", DROPPED)
async def test_questions_errands_and_small_talk_are_not(text):
    assert await RULES.extract(text) == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Remember that my flight is at 9", ["my flight is at 9"]),
        ("please remember: gate 5512", ["gate 5512"]),
        ("记住我的航班是九点", ["我的航班是九点"]),
        ("請記住，門禁碼 5512", ["門禁碼 5512"]),
        ("The gate code is 5512. Remember that.", ["The gate code is 5512."]),
        ("Remember the following:\n- gate 5512\n- bins on Monday", ["gate 5512", "bins on Monday"]),
        ("remind me that the rent is due on the 3rd", ["the rent is due on the 3rd"]),
    ],
)
def test_what_the_user_asks_to_remember_always_is(text, kept):
    found = RULES.select(text)
    assert [one.text for one in found] == kept
    assert {one.importance for one in found} == {0.9}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I'm allergic to nuts, what can I eat?", ["I'm allergic to nuts"]),
        ("I moved to Rome, did you know that?", ["I moved to Rome"]),
        ("When I was younger I lived in Rome", ["When I was younger I lived in Rome"]),
        ("I go to bed at ten no matter what", ["I go to bed at ten no matter what"]),
        ("I forgot how to swim", ["I forgot how to swim"]),
        ("Book me a flight, I prefer window seats", ["I prefer window seats"]),
        ("帮我订明天的票，我不喜欢靠窗", ["我不喜欢靠窗"]),
        ("My sister Anna lives in Oslo. She has two cats.", ["My sister Anna lives in Oslo. She has two cats."]),
        ("Thanks! I moved to Lisbon. Please update the file.", ["I moved to Lisbon."]),
        ("I like tea.\nI like tea.", ["I like tea."]),
        ("I like tea\n```\nI have two cats\n```\n> I have a dog", ["I like tea"]),
    ],
)
def test_the_part_that_tells_is_kept_out_of_a_longer_message(text, kept):
    assert [one.text for one in RULES.select(text)] == kept


@pytest.mark.parametrize(
    "text",
    [
        "Yesterday I took the kids to the aquarium",
        "Still working on my pottery",
        "The spare key is under the flowerpot",
        "Dinner with Ana is on Friday",
        "I take the 7:42 train to work",
        "When I was younger, my family and I went on a trip to Crete.",
        "备用钥匙在花盆下面",
        "周五和安娜吃晚饭",
        "我害怕坐飞机",
        "媽媽每天吃五毫克",
    ],
)
def test_what_no_narrow_rule_knows_is_kept_when_it_is_told(text):
    assert [one.text for one in RULES.select(text)] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "I think you are right about that",
        "I get an error when I run it",
        "I need the output as a table",
        "The answer is correct",
        "The test on line 12 fails since Monday",
        "I have an idea for this",
        "我觉得你说得对",
        "我想先看看测试结果",
        "我发现第3行的代码有错误",
    ],
)
def test_thoughts_and_work_of_the_moment_are_not(text):
    assert RULES.select(text) == []


def test_code_and_logs_give_nothing():
    dump = "def my_cats(self) -> int:\n    return len([cat for cat in self.cats])\nTraceback (most recent call last):\n2026-01-01 10:00:00 INFO my cat is up"
    assert RULES.select(dump) == []


def test_triggers_and_rules_of_ones_own_add_to_what_is_kept():
    text = "the kiln reached cone six"
    assert RULES.select(text) == []
    assert [one.category for one in RuleExtractor(triggers=["cone six"]).select(text)] == ["other"]
    assert RuleExtractor(triggers=["cone si"]).select(text) == []
    own = RuleExtractor(rules=[rule("fact", 0.6, r"\bkiln\b")]).select(text)
    assert [(one.category, one.importance) for one in own] == [("fact", 0.6)]


@pytest.mark.parametrize(
    ("text", "count"),
    [("Dr. Smith left. He is 5.5 ft tall!", 2), ("a。b！c", 3), ("one\n- two\n\n3. three", 3), ("e.g. this one", 1)],
)
def test_sentences_end_where_they_end(text, count):
    assert len(sentences(text)) == count


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(
            ["I have", " two cats", ". ", "She", "?", "，", "我有", "猫", "remember", "that", "\n", "```", "- "]
        ),
        max_size=14,
    ).map("".join)
)
def test_nothing_is_made_up_and_nothing_kept_twice(text):
    kept = [one.text for one in RULES.select(text)]
    assert len(kept) == len(set(kept))
    for one in kept:
        for word in one.split():
            assert word in text


@pytest.mark.parametrize(
    "piece",
    [
        "my a ",
        "I really ",
        "no, ",
        "so, ",
        "我",
        "我也",
        "thanks ",
        "remember ",
        "Anna ",
        "my sister's ",
        "the ",
        "a.",
        ", ",
        "好的",
    ],
)
def test_no_repetition_makes_it_slow(piece):
    started = time.process_time()
    RULES.select(piece * (20_000 // len(piece)))
    assert time.process_time() - started < 5
