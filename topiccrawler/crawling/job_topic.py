"""The topic of a job as it stands: what its recipe says, with the words that its crawl grew."""

from __future__ import annotations

from pathlib import Path

from topiccrawler.crawling.assemble import topic_of
from topiccrawler.crawling.growths import Growths, read_growth
from topiccrawler.crawling.job_files import GROWTH, read_recipe
from topiccrawler.errors import StateError
from topiccrawler.relevance.growing import with_words
from topiccrawler.topics.topic import Topic


def topic_of_job(folder: Path) -> tuple[Topic, Growths | None]:
    """The topic, and what is known of its growth; None where it did not grow. StateError for a folder that holds no job."""
    recipe = read_recipe(folder)
    if recipe is None:
        raise StateError(f"folder {folder}", "holds no job", "name the folder of a job")
    topic, grown = topic_of(recipe), read_growth(folder / GROWTH)
    if grown is None or grown.topic != topic.name:
        return topic, None
    return with_words(topic, grown.weights, grown.reasons), grown
