"""Jobs that an earlier version began: they go on as they were begun.

In their crawl logs and page stores relevance was a similarity, on the scale of the page classifier; since then it is a probability. job.json
notes since when. And their topics of a few words are classified by vsm, as all topics were, not by the words alone (topics.meaning).
"""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

from topiccrawler.crawling.assemble import topic_as_written
from topiccrawler.crawling.crawl_logs import visits_of
from topiccrawler.crawling.job_files import read_recipe
from topiccrawler.crawling.own_words import recipe_of_words
from topiccrawler.crawling.recipe import Recipe

logger = logging.getLogger(__name__)


def as_begun(
    recipe: Recipe, folder: Path, now: float, words: tuple[str, ...] = (), proposed: int = 0
) -> Recipe:
    """The recipe of a crawl that may go on in that folder; one warning for a job of an earlier version. `words`: the topic, if it is of
    these alone; so many words are `proposed` for it."""
    kept = read_recipe(folder)
    if kept is None or kept.relevance_since == 0:
        return recipe
    since = kept.relevance_since
    if since is None:
        if next(iter(visits_of(folder)), None) is None:
            return recipe
        since = now
        logger.warning(
            "%s was begun by an earlier version: relevances in its crawl log and page store up to now are similarities, not "
            "probabilities; pages kept from now on have probabilities, kept from .5",
            folder,
        )
    recipe = replace(recipe, relevance_since=since)
    if words:
        return recipe_of_words(recipe, words, proposed, is_understood=False)
    written = topic_as_written(recipe)
    return recipe if written is None else replace(recipe, topic_fields=written.model_dump())
