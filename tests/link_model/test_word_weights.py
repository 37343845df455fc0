"""What a word says that training has not met."""

import pytest

from topiccrawler.link_model.classifier import WordWeights


@pytest.fixture
def table() -> WordWeights:
    return WordWeights({"足球": 2.0, "比赛": 1.0, "足球比": 9.0, "基金": -3.0, "比": 50.0, "cup": 4.0})


@pytest.mark.parametrize(
    ("word", "share"),
    [
        ("足球", 2.0),  # known
        ("世界足球", 2.0),
        ("基金比赛", -2.0),
        ("足球比赛", 9.0),  # the longest from the left; what is left over has no two characters
        ("足比", 0.0),  # too short to hold a word
        ("天气预报", 0.0),
        ("worldcup", 0.0),
        ("足球" * 7, 0.0),  # too long to be a word
        ("", 0.0),
    ],
)
def test_an_unknown_compound_says_what_its_known_words_say(
    table: WordWeights, word: str, share: float
) -> None:
    assert table[word] == share
    assert table[word] == share
