"""One page classifier of several."""

import pytest

from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.choose import SeveralTopics
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.topics.topic import make_topic

FUNDS = PageWords(body=("基金", "股票", "市场"))
TRIP = PageWords(body=("旅游", "景点"))
BOTH = PageWords(title=("旅游", "基金"), body=("旅游", "基金"))
NOTHING = PageWords(body=("天气",))


@pytest.fixture
def classifier() -> SeveralTopics:
    words = {"money": ({"基金": 1.0, "股票": 1.0}, 0.4), "trips": ({"旅游": 1.0, "景点": 0.5}, 0.1)}
    topics = [
        make_topic({"name": name, "keywords": keywords, "page_threshold": threshold}, name)
        for name, (keywords, threshold) in words.items()
    ]
    return SeveralTopics({topic.name: VsmClassifier(topic) for topic in topics})


def test_a_page_is_as_similar_as_to_its_nearest_topic_in_units_of_its_threshold(
    classifier: SeveralTopics,
) -> None:
    money = VsmClassifier(make_topic({"name": "money", "keywords": {"基金": 1.0, "股票": 1.0}}, "money"))
    assert classifier.similarity_threshold == 0.1
    assert classifier.similarity(FUNDS) == pytest.approx(money.similarity(FUNDS) * 0.1 / 0.4)
    assert classifier.similarity(NOTHING) == 0.0


def test_topics_are_those_whose_own_threshold_is_reached(classifier: SeveralTopics) -> None:
    assert classifier.topics_of(FUNDS) == ("money",)
    assert classifier.topics_of(TRIP) == ("trips",)
    assert classifier.topics_of(BOTH) == ("trips", "money")
    assert len(classifier.topics_of(NOTHING)) == 1


class Margins:
    """A page classifier whose words speak for and against the topic."""

    threshold, similarity_threshold, reads_segments = 0.5, 0.5, False

    def __init__(self, *shares: tuple[str, float]) -> None:
        self.shares = [*shares]

    def similarity(self, words: PageWords) -> float:
        return 0.4

    relevance = similarity

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        return self.shares


@pytest.mark.parametrize("against", [-0.1, -0.999, -1.0, -3.0])
def test_a_word_for_the_topic_stays_one_however_much_speaks_against_it(against: float) -> None:
    several = SeveralTopics({"money": Margins(("银行", 0.75), ("上映", 0.25), ("导演", against))})
    assert several.explain(NOTHING) == [
        ("银行", pytest.approx(0.3)),
        ("上映", pytest.approx(0.1)),
        ("导演", pytest.approx(0.4 * against)),
    ]
