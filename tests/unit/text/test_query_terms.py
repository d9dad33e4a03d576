import pytest

from tercet.text.scripts import script_of
from tercet.text.terms import query_terms, terms


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("What did Caroline say about the adoption agency?", ["carolin", "adopt", "agenc"]),
        ("how do I deploy it", ["deploy"]),
        ("Who's the owner, and where isn't he?", ["owner"]),
        ("deploy deploys deployed", ["deploy"]),
        ("我们的数据库什么时候迁移？", ["们的", "的数", "数据", "据库", "库什", "候迁", "迁移"]),
        ("我們的資料庫為什麼要遷移？", ["們的", "的資", "資料", "料庫", "庫為", "麼要", "要遷", "遷移"]),
        ("Is it in May?", ["may"]),
    ],
)
def test_question_words_are_dropped(query: str, kept: list[str]) -> None:
    assert query_terms(query) == kept


@pytest.mark.parametrize("query", ["who", "what is it", "the who", "什么", "的", "to be or not to be"])
def test_stop_words_stay_when_nothing_else_is_left(query: str) -> None:
    assert query_terms(query) == list(dict.fromkeys(terms(query)))


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("who works in IT", "it"),
        ("the band The Who played", "who"),
        ("what does the WHO say", "who"),
        ("ask Will about it", "will"),
    ],
)
def test_a_stop_word_written_as_a_name_is_kept(query: str, name: str) -> None:
    assert name in query_terms(query)


@pytest.mark.parametrize(
    "query", ["WHAT IS THE PLAN", "What Is The Plan", "Done. What is the plan", "what is the plan"]
)
def test_shouting_titles_and_sentence_beginnings_are_no_names(query: str) -> None:
    assert query_terms(query) == ["plan"]


@pytest.mark.parametrize("word", ["目的", "了解", "话题", "猫"])
def test_no_word_beside_a_function_word_is_hidden(word: str) -> None:
    document = set(terms(f"{word}是这样的"))
    assert set(query_terms(f"{word}是什么")) & document


def test_an_empty_query_has_no_terms() -> None:
    assert query_terms(" ?! ") == []


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("deploy the server", "latin"),
        ("déployer le serveur à Zürich", "latin"),
        ("数据库什么时候迁移", "cjk"),
        ("メモを読む", "cjk"),
        ("오늘 회의", "cjk"),
        ("用 Docker 部署 memory server", "mixed"),
        ("用 AI 写的关于数据库迁移和备份的长篇笔记", "cjk"),
        ("когда встреча", "other"),
        ("12:30 !?", "other"),
        ("", "other"),
    ],
)
def test_script_by_share_of_letters(text: str, script: str) -> None:
    assert script_of(text) == script
