"""Which words are never learned."""

import pytest

from topiccrawler.topics.common_words import is_common, rarity
from topiccrawler.topics.keywords import keywords_of_texts


@pytest.mark.parametrize(
    "word",
    ["问题", "选择", "其实", "我们", "东西", "方法", "使用", "内容", "工作", "生活", "可以", "时间", "中国", "点击", "新浪", "加载", "朋友", "2019", "time", "use",
     "der", "для", "できます", "konn"],  # können, as a topic in another language has it
)  # fmt: skip
def test_common_words(word: str) -> None:
    assert is_common(word)


@pytest.mark.parametrize(
    "word", ["台风", "矿机", "净值", "容器", "漏洞", "伤寒论", "书评", "dockerfil", "comment", "カメラ"]
)
def test_words_that_say_something(word: str) -> None:
    assert not is_common(word)


def test_rarity_is_of_the_language_then_of_the_web_then_the_median() -> None:
    assert rarity("基金") == pytest.approx(4.03, abs=0.01)
    assert rarity("time") == pytest.approx(4.79, abs=0.01)
    assert rarity("白日梦碎机") == pytest.approx(11.95, abs=0.01)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "Die Kamera und das Objektiv: wenn die Kamera auf dem Stativ ist, kann das Objektiv",
            ["kamera", "objektiv"],
        ),
        ("Камера и объектив: если камера на штативе, то объектив не дрожит", ["камер", "объект"]),
        ("カメラのレンズを選びます。カメラとレンズはこれです", ["カメラ", "レンズ"]),
        ("The camera and the lens: if the camera is on it, then the lens", ["camera", "len"]),
    ],
)
def test_a_topic_of_texts_has_no_function_words_of_their_language(text: str, words: list[str]) -> None:
    assert set(list(keywords_of_texts([text, text]))[:2]) == set(words)
