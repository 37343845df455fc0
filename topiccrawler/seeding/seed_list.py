"""Writes proposed seeds as a file that a crawl takes, each with its reason beside it."""

from __future__ import annotations

from collections.abc import Iterable

from topiccrawler.pages.formats.extract import tidy
from topiccrawler.seeding.candidate import Candidate
from topiccrawler.text.printable import printable
from topiccrawler.topics.topic import Topic

LONGEST_TITLE = 100


def shown_title(candidate: Candidate) -> str:
    """The title for a line of a terminal or a file."""
    return printable(tidy(candidate.title))[:LONGEST_TITLE]


def as_seed_file(topic: Topic, seeds: Iterable[Candidate]) -> str:
    """One URL a line, above it a comment: score, title, why."""
    lines = [
        f"# seeds for topic {topic.full_name}",
        "# proposed by scrapy seeds; delete what you do not want",
    ]
    for seed in seeds:
        parts = (f"{seed.score:.2f}", shown_title(seed), seed.why)
        lines += ["", f"# {'; '.join(filter(None, parts))}", seed.url]
    return "\n".join(lines) + "\n"
