"""The topic file of the demo: finance, asked for by hand-picked words, labelled by the training part's hosts alone.

The conflict: the domain rule needs to know which hosts are about finance, and the crawl must not profit from it. So only
hosts of the part that is never crawled later are named.
"""

from __future__ import annotations

from topiccrawler.demo.sites import SITES, TRAIN, TRAIN_DIRECTORY
from topiccrawler.demo.words import FINANCE, FINANCE_KEYWORDS, SUBJECTS

PAGE_THRESHOLD = 0.3


def topic_toml() -> str:
    """The text of demo.toml."""
    positive, negative = _places()
    lines = [
        "# Written by `scrapy demo`. Hosts and host/path prefixes serve to label links for training only.",
        f'name = "{FINANCE}"',
        f'zh = "{SUBJECTS[FINANCE].zh}"',
        f"page_threshold = {PAGE_THRESHOLD}",
        f"positive = {_strings(positive)}",
        f"negative = {_strings(negative)}",
        "[keywords]",
        *(f'"{word}" = {weight}' for word, weight in FINANCE_KEYWORDS.items()),
    ]
    return "\n".join(lines) + "\n"


def _places() -> tuple[list[str], list[str]]:
    """Hosts and prefixes of the training part: about finance, and about anything else."""
    positive: list[str] = []
    negative = [f"{TRAIN_DIRECTORY}/"]
    for site in SITES:
        if site.part != TRAIN:
            continue
        for channel in site.channels:
            place = (
                channel.host
                if site.topic != "mixed" or channel.prefix == "/"
                else channel.host + channel.prefix
            )
            places = positive if channel.topic == FINANCE else negative
            if place not in places:
                places.append(place)
    return positive, negative


def _strings(values: list[str]) -> str:
    return "[\n" + "".join(f'    "{value}",\n' for value in values) + "]"
