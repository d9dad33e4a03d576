"""The estimate of tokens against what o200k_base really makes of the same texts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.text.token_count import token_count

COUNTED = {
    "English": (
        48,
        (
            "We moved to Lisbon in March because my sister lives there. The flat is small, but it has a balcony, and the "
            "rent is lower than what we paid in Hamburg. I still work remotely for the same company three days a week."
        ),
    ),
    "code": (
        63,
        (
            'def load(path: Path) -> dict[str, int]:\n    """Return counts by name."""\n    counts: dict[str, int] = {}\n'
            '    for line in path.read_text().splitlines():\n        name, _, number = line.partition("=")\n'
            "        counts[name.strip()] = int(number)\n    return counts\n"
        ),
    ),
    "simplified Chinese": (
        49,
        "上个月我们搬到了杭州，因为我妹妹住在那里。房子不大，但是有一个阳台，租金也比以前便宜。我每周还有三天在家办公，周末喜欢去西湖边跑步。",
    ),
    "traditional Chinese": (
        58,
        "上個月我們搬到了臺中，因為我妹妹住在那裡。房子不大，但是有一個陽台，租金也比以前便宜。我每週還有三天在家工作，週末喜歡去公園跑步。",
    ),
    "Japanese": (
        74 + 75,
        (
            "昨日は東京から大阪まで新幹線で移動しました。途中で富士山がとてもきれいに見えて、隣の席の子どもが大喜びしていました。夜は友達と一緒にお好み焼きを食べて、ホテルに戻ったのは十一時ごろです。"
            "私はコーヒーよりも紅茶のほうが好きで、特にアールグレイをよく飲みます。砂糖は入れませんが、牛乳は少しだけ入れることがあります。アレルギーがあるので、ナッツの入ったお菓子は食べられません。"
        ),
    ),
    "Korean": (
        48 + 49,
        (
            "어제는 친구들과 함께 한강에서 자전거를 탔어요. 날씨가 정말 좋아서 사람들이 많이 나와 있었고, 저녁에는 근처 식당에서 치킨과 맥주를 먹었습니다."
            "다음 주 회의는 수요일 오후 세 시로 변경되었습니다. 자료는 김 대리가 준비하고 있으니 궁금한 점이 있으면 직접 물어보세요. 회의실 예약도 잊지 말아 주세요."
        ),
    ),
    "French": (
        44,
        (
            "Hier, nous avons fait du vélo le long de la rivière avec des amis. Il faisait très beau, il y avait donc "
            "beaucoup de monde, et le soir nous avons dîné dans un petit restaurant du quartier."
        ),
    ),
    "Markdown": (
        69,
        (
            "# Plan\n\n- [x] Book the hotel (2 nights, 14-16 June)\n- [ ] Call **Marta** about the invoice: 1,250.50 EUR\n"
            "- [ ] 確認航班 BR87 的時間\n\n| item | owner |\n|---|---|\n| tickets | Jan |\n"
        ),
    ),
}
"""Kind of text: (tokens of o200k_base, the text)."""


@pytest.mark.parametrize("kind", COUNTED)
def test_an_estimate_is_within_15_percent(kind: str) -> None:
    tokens, text = COUNTED[kind]
    assert token_count(text) == pytest.approx(tokens, rel=0.15)


def test_nothing_costs_nothing_and_a_word_something() -> None:
    assert token_count("") == 0
    assert token_count("cat") in {1, 2}


@settings(max_examples=50)
@given(st.text(max_size=200), st.text(max_size=200))
def test_a_longer_text_never_costs_less_than_its_end(first: str, second: str) -> None:
    assert token_count(f"{first}\n\n{second}") >= token_count(second) - 3


def test_long_runs_take_no_long_time() -> None:
    """A run of blanks or of one letter is read once, not once for each of its places."""
    assert token_count("\t " * 200_000 + "x") < 10
    assert token_count("a" * 300_000) > 0
