"""A crawl that was taught and is given another topic forgets what it was taught."""

from types import SimpleNamespace
from typing import Any

from topiccrawler.crawling.recipe import Recipe
from topiccrawler.engine.control.changes import parts_for
from topiccrawler.topics.catalogue import load_topic


def test_neither_the_taught_topic_nor_the_one_before_it_is_left() -> None:
    finance = load_topic("finance")
    fields = finance.model_dump()
    recipe = Recipe("finance", link_models="none", topic_fields=fields, strategy_topic=fields)
    crawl: Any = SimpleNamespace(shared=None, parts=SimpleNamespace(recipe=recipe), topic=finance)
    parts = parts_for(crawl, "travel")
    assert (parts.topic.name, parts.recipe.strategy_topic) == ("travel", None)
    assert parts.strategy_classifier is parts.page_classifier
