"""A topic file that is right, and one line for each way to be wrong."""

import re

import pytest
from message_facts import one_line

from topiccrawler.errors import TopicError
from topiccrawler.pages.site_rules import rule_of
from topiccrawler.topics.topic import PAGE_THRESHOLDS, SiteRule, make_topic, read_topic

LEAST = 'name = "tea"\n'
WORDS = '[keywords]\n"茶叶" = 1.0\n"绿茶" = 0.5\n'


def test_a_full_file_gives_every_field() -> None:
    topic = read_topic(
        """
        name = "tea"
        zh = "茶"
        also = ["茶叶", "Tee"]
        examples = [" 泡绿茶水温不要太高。 "]
        positive = ["Tea.Example.com", "www.example.com/tea/"]
        negative = ["coffee.example.com:8080"]
        seeds = ["http://tea.example.com/", "-http://coffee.example.com/"]
        lexicon = ["龙井"]
        page_threshold = 0.3
        link_threshold = 0.2
        breadth = "specific"
        tunnel_probability = 0.5
        tunnel_depth = 2
        [keywords]
        "茶叶" = 1
        """,
        "tea.toml",
    )
    assert (topic.name, topic.zh, topic.keywords) == ("tea", "茶", {"茶叶": 1.0})
    assert topic.also == ["茶叶", "Tee"]
    assert topic.examples == ["泡绿茶水温不要太高。"]
    assert topic.positive == ["tea.example.com", "www.example.com/tea/"]
    assert topic.negative == ["coffee.example.com:8080"]
    assert topic.seeds == ["http://tea.example.com/", "-http://coffee.example.com/"]
    assert topic.lexicon == ["龙井"]
    assert (topic.page_threshold, topic.link_threshold) == (0.3, 0.2)
    assert (topic.breadth, topic.tunnel_probability, topic.tunnel_depth) == ("specific", 0.5, 2)


@pytest.mark.parametrize("breadth", ["broad", "normal", "specific"])
def test_breadth_sets_the_page_threshold_unless_one_is_given(breadth: str) -> None:
    written = f'{LEAST}breadth = "{breadth}"\n'
    assert read_topic(written + WORDS, "t").page_threshold == PAGE_THRESHOLDS[breadth]
    assert read_topic(f"{written}page_threshold = 0.4\n{WORDS}", "t").page_threshold == 0.4


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ("name = tea", ["TOML"]),
        ("a = " + "[" * 5_000, ["TOML"]),
        (WORDS, ["name ", "lower-case"]),
        (LEAST, ["keywords ", "weights"]),
        (LEAST + "[keywords]", ["keywords = {}", "weights"]),
        ('name = "茶"\n' + WORDS, ["name = '茶'", "lower-case"]),
        (LEAST + '[keywords]\n"茶叶" = -1', ["keywords.茶叶 = -1"]),
        (LEAST + '[keywords]\n"茶叶" = nan', ["keywords.茶叶 = nan"]),
        (LEAST + '[keywords]\n"茶叶" = inf', ["keywords.茶叶 = inf", "finite"]),
        (LEAST + '[keywords]\n"茶叶" = "much"', ["keywords.茶叶 = 'much'", "number"]),
        (LEAST + '[keywords]\n"" = 1', ["keywords", " 1 "]),
        (LEAST + "keywords = 7", ["keywords = 7", "weights"]),
        (LEAST + "page_threshold = 1.5\n" + WORDS, ["page_threshold = 1.5", " 0 to 1"]),
        (LEAST + 'breadth = "wide"\n' + WORDS, ["breadth = 'wide'", "specific"]),
        (LEAST + 'positive = ["http://a.example/"]\n' + WORDS, ["positive.0", "without http://"]),
        (LEAST + 'seeds = ["a.example"]\n' + WORDS, ["seeds.0", "http(s) addresses"]),
        (LEAST + "tunnel_depth = -1\n" + WORDS, ["tunnel_depth = -1", "from 0 to 20"]),
        (LEAST + "colour = 1\n" + WORDS, ["colour ", "page_threshold"]),
        (LEAST + "threshold = 0.2\n" + WORDS, ["threshold ", "page_threshold"]),
    ],
)
def test_a_wrong_file_is_refused_in_one_line_with_file_field_and_remedy(
    written: str, parts: list[str]
) -> None:
    fault = ".*".join(map(re.escape, parts))
    with pytest.raises(TopicError, match=one_line(fault, begin="tea.toml: ")):
        read_topic(written, "tea.toml")


def test_a_long_wrong_value_is_not_repeated_whole() -> None:
    with pytest.raises(TopicError) as caught:
        make_topic({"name": "x" * 5_000, "keywords": {"茶叶": 1}}, "argument")
    assert len(str(caught.value)) < 400


def test_a_topic_of_example_texts_alone_gets_its_keywords_from_them() -> None:
    topic = make_topic({"name": "mine", "examples": ["定投指数基金，买基金的人", "基金定投的复利"]}, "test")
    assert list(topic.keywords) == ["定投", "基金", "复利", "指数"]
    assert topic.lexicon == list(topic.keywords)


@pytest.mark.parametrize(
    ("sites", "message"),
    [
        ({"a.example.com": {"title": "div["}}, "CSS"),
        ({"a.example.com": {"body": "p"}}, "sites.a.example.com.body "),
        ({"http://x": {"title": "p"}}, "by host"),
        ([], "by host"),
    ],
)
def test_a_wrong_reading_rule_is_refused_in_one_line(sites: object, message: str) -> None:
    with pytest.raises(TopicError, match=message):
        make_topic({"name": "mine", "keywords": ["基金"], "sites": sites}, "test")


def test_a_number_without_end_is_one_line() -> None:
    with pytest.raises(TopicError, match=r"^tea\.toml: is not valid TOML: Exceeds the limit"):
        read_topic(f'{LEAST}[keywords]\n"茶叶" = {"9" * 5000}', "tea.toml")


def test_places_in_chinese_are_written_as_in_urls() -> None:
    topic = read_topic(
        'name = "tea"\npositive = ["新闻.cn", "a.cn/茶/", "Ａ.cn"]\nkeywords = ["茶叶"]\n[sites."新闻.cn"]\ntext = "p"',
        "tea.toml",
    )
    assert topic.positive == ["xn--efvy88h.cn", "a.cn/%e8%8c%b6/", "a.cn"]
    assert rule_of("http://www.xn--efvy88h.cn/1", topic.sites) == SiteRule(text="p")
    with pytest.raises(TopicError, match=r"positive\.0 = '新闻\|\.cn'.* is no host"):
        read_topic(f'{LEAST}positive = ["新闻|.cn"]\n{WORDS}', "tea.toml")
