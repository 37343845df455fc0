"""Several topics as one."""

from pathlib import Path

import pytest

from topiccrawler.errors import TopicError
from topiccrawler.topics.catalogue import load_topics, parts_of, united
from topiccrawler.topics.topic import SiteRule, make_topic


def test_names_are_separated_by_commas_and_a_path_may_hold_one(tmp_path: Path) -> None:
    assert parts_of("finance") == ["finance"]
    assert parts_of("finance, 旅游，sport,") == ["finance", "旅游", "sport"]
    place = tmp_path / "a,b.toml"
    place.write_text("")
    assert parts_of(str(place)) == [str(place)]


def test_unknown_and_repeated_topics_are_refused() -> None:
    assert [topic.name for topic in load_topics("财经,travel")] == ["finance", "travel"]
    with pytest.raises(TopicError, match=r"'helth'.* health"):
        load_topics("finance,helth")
    with pytest.raises(TopicError, match=r"finance,财经: .*finance"):
        load_topics("finance,财经")


def test_words_count_as_in_their_own_topic_and_the_easiest_threshold_holds() -> None:
    rules = {"a.cn": SiteRule(title="h1")}
    one = make_topic(
        {
            "name": "one",
            "keywords": {"基金": 4.0, "股票": 1.0},
            "page_threshold": 0.2,
            "seeds": ["http://a.cn/"],
        },
        "one",
    )
    two = make_topic(
        {
            "name": "two",
            "zh": "二",
            "keywords": {"股票": 0.5, "旅游": 1.0},
            "page_threshold": 0.1,
            "tunnel_depth": 5,
        },
        "two",
    ).model_copy(update={"sites": rules})
    both = united([one, two])
    assert (both.name, both.zh) == ("one+two", "one+二")
    assert both.keywords == {"基金": 1.0, "股票": 0.5, "旅游": 1.0}
    assert (both.page_threshold, both.tunnel_depth, both.sites) == (0.1, 5, rules)
    assert both.seeds == ["http://a.cn/"]
    assert united([one]) is one


@pytest.mark.parametrize(
    ("thresholds", "united_threshold"),
    [((0.0, 0.5), 0.0), ((0.4, 0.3), 0.3), ((0.0, 0.0), 0.0), ((None, 0.2), None)],
)
def test_the_lowest_link_threshold_holds_nought_too(
    thresholds: tuple[float | None, ...], united_threshold: float | None
) -> None:
    topics = [
        make_topic({"name": name, "keywords": ["基金"]}, name).model_copy(update={"link_threshold": value})
        for name, value in zip(("one", "two"), thresholds, strict=True)
    ]
    assert united(topics).link_threshold == united_threshold
