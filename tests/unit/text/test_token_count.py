"""The estimate of tokens."""

from tercet.text.token_count import token_count


def test_a_quarter_of_a_character_each_and_a_whole_for_chinese():
    assert token_count("") == 0
    assert token_count("abcd") == 1
    assert token_count("abcde") == 2
    assert token_count("妈妈的生日") == 5
    assert token_count("妈妈 2026") == 2 + 2
