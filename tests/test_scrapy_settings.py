"""docs/scrapy-settings.md says of every setting of Scrapy what becomes of it in a crawl by topic; what it calls refused is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from scrapy.dupefilters import RFPDupeFilter
from scrapy.settings import Settings, default_settings

from topiccrawler.engine.focused_spider import UNUSABLE, refuse_settings
from topiccrawler.errors import ArgumentError

PAGE = Path(__file__).parents[1] / "docs" / "scrapy-settings.md"
WITHOUT_DEFAULT = {"CONCURRENT_REQUESTS_PER_IP", "META_COPY_WARN_SKIP_KEYS"}  # Scrapy reads them nevertheless
CHANGED: dict[str, Any] = {
    "DEPTH_PRIORITY": "soon",
    "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    "SCHEDULER_START_DISK_QUEUE": None,
    "SCHEDULER_START_MEMORY_QUEUE": "scrapy.squeues.LifoMemoryQueue",
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
    "CONCURRENT_REQUESTS_PER_IP": 4,
}


def listed(section: str = "") -> list[str]:
    """The settings named in the first column of the tables, of one section or of all."""
    text = PAGE.read_text(encoding="utf-8")
    part = text.split(f"\n## {section}\n")[1].split("\n## ")[0] if section else text
    first = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
    return re.findall(r"`([A-Z0-9_]+)`", " ".join(first))


def test_each_setting_of_scrapy_stands_in_one_row() -> None:
    """A new one fails here until somebody has looked what becomes of it."""
    known = {name for name in vars(default_settings) if name.isupper()}
    assert sorted(listed()) == sorted(known | WITHOUT_DEFAULT)


def test_the_refused_ones_are_those_of_the_table() -> None:
    assert set(listed("Refused")) == set(UNUSABLE) == set(CHANGED)


@pytest.mark.parametrize("name", CHANGED)
def test_what_cannot_be_obeyed_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(ArgumentError) as refused:
        refuse_settings(Settings({name: CHANGED[name]}))
    said = str(refused.value)
    assert said.startswith(f"{name}={CHANGED[name]!r}: ")
    assert f'put "{name}": ' in said
    assert "\n" not in said


def test_scrapys_defaults_and_what_no_user_has_set_are_not_refused() -> None:
    settings = Settings(
        {"DEPTH_PRIORITY": "0", "CONCURRENT_REQUESTS_PER_IP": 0, "DUPEFILTER_CLASS": RFPDupeFilter}
    )
    settings.set("SCHEDULER_MEMORY_QUEUE", CHANGED["SCHEDULER_MEMORY_QUEUE"], "addon")
    refuse_settings(settings)
