"""What a job's topic is called, and the argument that goes on with it: it makes the same topic again."""

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from topiccrawler.crawling.assemble import assemble, topic_of
from topiccrawler.crawling.job_topic import (
    display_names,
    displayed,
    recipe_of_words,
    topic_argument,
    topic_display_name,
)
from topiccrawler.crawling.recipe import Recipe, parse_arguments

FILE = Path("jobs/one/topic.toml")


def kept(words: list[str], proposed: int = 20) -> Recipe:
    """As job.json has it: with the words that were proposed."""
    return assemble(recipe_of_words(Recipe(""), words, proposed)).record()


def words_of(argument: str) -> list[str]:
    """What a crawl that is given the argument understands."""
    name, _, value = shlex.split(argument)[1].partition("=")
    configured = {name: value, "seeds": "http://a.cn/"}
    return list(parse_arguments(configured, topic=None, strategy="breadth_first").keywords)


@pytest.mark.parametrize(
    ("words", "argument"),
    [
        (["考研", "高考", "志愿"], "-a 'keywords=考研,高考,志愿'"),
        (["基金:2", "定投:0.5"], "-a 'keywords=基金:2,定投:0.5'"),
        (["electric car", "rust"], "-a 'keywords=electric car,rust'"),
        (["rust"], "-a keywords=rust"),
    ],
)
@pytest.mark.parametrize("proposed", [0, 20])
def test_words_are_given_again_as_they_were_typed(words: list[str], argument: str, proposed: int) -> None:
    recipe = kept(words, proposed)
    assert topic_argument(recipe, FILE) == argument
    assert words_of(argument) == words
    assert recipe_of_words(Recipe(""), words_of(argument)).topic == recipe.topic


def test_words_that_were_typed_in_another_way_are_the_topics_file() -> None:
    recipe = kept(["基金:2.0"])  # its id is of what was typed
    assert topic_argument(recipe, FILE) == "-a topic=jobs/one/topic.toml"
    assert topic_argument(recipe, None) == ""
    named = replace(kept(["考研"]), topic_fields={"name": "exam", "zh": "考研", "keywords": {"考研": 1.0}})
    assert topic_argument(named, Path("my jobs/topic.toml")) == "-a 'topic=my jobs/topic.toml'"


def test_a_catalogued_topic_and_a_file_that_is_there_are_named_as_they_were(tmp_path: Path) -> None:
    assert topic_argument(Recipe("finance"), FILE) == "-a topic=finance"
    assert topic_argument(Recipe("finance,travel"), FILE) == "-a topic=finance,travel"
    own = tmp_path / "tea.toml"
    own.write_text('name = "tea"\n[keywords]\n"茶叶" = 1.0\n', encoding="utf-8")
    recipe = assemble(Recipe(str(own), "breadth_first")).record()
    assert topic_argument(recipe, FILE) == f"-a topic={own}"
    own.unlink()
    assert topic_argument(recipe, FILE) == "-a topic=jobs/one/topic.toml"
    assert topic_display_name(recipe) == "tea"


def test_what_pages_are_stored_with_is_displayed_in_words(tmp_path: Path) -> None:
    recipe = kept(["考研", "高考"])
    name = topic_of(recipe).name
    assert topic_display_name(recipe) == "考研、高考"
    assert displayed(name, display_names(recipe)) == "考研、高考"
    own = tmp_path / "own.toml"
    own.write_text(f'name = "{name}"\nzh = "考研、高考"\nkeywords = ["考研", "高考"]\n', encoding="utf-8")
    names = display_names(Recipe(f"财经,{own},{tmp_path}/gone.toml"))
    assert names == {"finance": "finance", name: "考研、高考"}
    assert displayed(f"{name},finance,wine", names) == "考研、高考, finance, wine"
    assert topic_display_name(Recipe("财经")) == "finance"
