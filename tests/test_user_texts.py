"""What a person may write as a path or a name, and is none: one line of bearable length (found by `make fuzz`)."""

from pathlib import Path

import pytest

from topiccrawler.crawling.assemble import link_model_of, page_classifier_of
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import CrawlerError, TopicError
from topiccrawler.files import is_file, user_path
from topiccrawler.text.segmenter import PLAIN
from topiccrawler.topics.catalogue import load_topic, parts_of

LONG = "基金," * 400


def test_a_home_of_nobody_and_a_text_as_long_as_a_page_are_no_files() -> None:
    assert user_path("~nobody-of-this-name/x") == Path("~nobody-of-this-name/x")
    assert user_path("~/x") == Path.home() / "x"
    assert not is_file(Path(LONG))
    assert not is_file(Path("\0"))
    assert parts_of(LONG) == ["基金"]
    with pytest.raises(TopicError, match=r"~nobody-of-this-name/x\.toml"):
        load_topic("~nobody-of-this-name/x.toml")


def test_folders_of_models_that_are_no_paths_are_refused() -> None:
    recipe = Recipe(
        "finance", "adaptive", link_models=LONG, page_classifier="svm", page_classifier_models=LONG
    )
    with pytest.raises(CrawlerError, match=LONG[:20]):
        link_model_of(recipe)
    with pytest.raises(CrawlerError, match=LONG[:20]):
        page_classifier_of(recipe, PLAIN)
