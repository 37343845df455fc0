"""A topic of a user's own words: named after them, told, and a file that gives the same topic."""

import re
from pathlib import Path

import pytest

from topiccrawler.crawling.assemble import assemble, topic_of
from topiccrawler.crawling.job_topic import as_toml, recipe_of_words, words_and_weights
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import TopicError
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.proposed_words import with_proposed
from topiccrawler.topics.topic import make_topic


def test_words_make_a_topic_that_a_crawl_can_be_made_of() -> None:
    recipe = recipe_of_words(Recipe(""), ["基金:2", "electric car", "定投"])
    topic = topic_of(recipe)
    assert topic.keywords == {"基金": 2.0, "electric car": 1.0, "定投": 1.0}
    assert words_and_weights(topic) == "基金 2, electric car 1, 定投 1"
    assert assemble(recipe).topic == topic


@pytest.mark.slow
def test_near_words_are_proposed_told_in_short_and_kept_with_their_reasons_as_a_file(tmp_path: Path) -> None:
    recipe = recipe_of_words(Recipe(""), ["基金", "定投"], 40)
    parts = assemble(recipe)
    weighted = words_and_weights(parts.topic)
    assert re.match("基金 1, 定投 1; 40 ", weighted)
    assert weighted.endswith(", …")
    assert weighted.count(", ") == 1 + 10
    whole = assemble(recipe_of_words(Recipe(""), ["财经", "定投"], 5)).topic
    assert words_and_weights(whole).startswith("财经 1, 定投 1; 5 ")
    text = as_toml(parts.topic)
    assert '"基金" = 1.0\n' in text
    assert text.count("  # near ") + text.count("  # of the subject 基金") == 40
    assert text.count("  # near ") > 20
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    assert load_topic(str(tmp_path / "own.toml")) == parts.topic
    # what is kept with the job asks for no more words
    assert assemble(parts.record()).topic == parts.topic


def test_a_word_with_a_line_break_breaks_no_file(tmp_path: Path) -> None:
    fields = {"name": "funds", "keywords": ["基金\n股票"], "proposed_words": 5}
    topic = with_proposed(make_topic(fields, "test"))
    (tmp_path / "own.toml").write_text(as_toml(topic), encoding="utf-8")
    assert load_topic(str(tmp_path / "own.toml")) == topic


def test_reading_rules_by_site_count_for_own_words_too(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[sites."a.example"]\ntitle = "h1"\n', encoding="utf-8")
    recipe = recipe_of_words(Recipe("", sites=str(rules)), ["基金"])
    assert assemble(recipe).reader().sites["a.example"].title == "h1"


def test_what_is_no_topic_is_refused_in_one_line() -> None:
    with pytest.raises(TopicError, match=r"'heavy'.* word:weight"):
        recipe_of_words(Recipe(""), ["基金:heavy"])
    for words in (["the", "of"], ["我們", "的:0.5"], ["of the"], ["und"]):
        with pytest.raises(TopicError, match=f"keywords {', '.join(words)}: "):
            recipe_of_words(Recipe(""), words)
    for words in (["IT"], ["The Who"], ["state of the art"], ["the", "基金"]):
        recipe_of_words(Recipe(""), words)
    with pytest.raises(TopicError, match=": r;"):
        assemble(recipe_of_words(Recipe(""), ["r"]))


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "tea", "zh": "茶", "keywords": {"绿茶": 1.0, "红茶 \"x\"": 0.5}},
        {"name": "tea", "keywords": ["绿茶"], "lexicon": ["茶叶"], "link_threshold": 0.0, "seeds": ["http://a.example/"],
         "sites": {"a.example": {"title": "h1"}}, "breadth": "broad"},
    ],
)  # fmt: skip
def test_a_topic_written_as_a_file_is_the_same_topic(fields: dict[str, object], tmp_path: Path) -> None:
    topic = make_topic(fields, "test")
    (tmp_path / "tea.toml").write_text(as_toml(topic), encoding="utf-8")
    assert load_topic(str(tmp_path / "tea.toml")) == topic
