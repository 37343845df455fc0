from __future__ import annotations

import pytest

from topiccrawler.crawling.harvest import RECENT_PAGES, HarvestCounter


def test_rates_over_all_pages_and_over_the_last_two_hundred() -> None:
    harvest = HarvestCounter()
    for number in range(RECENT_PAGES + 100):
        harvest.add(kept=number >= RECENT_PAGES)
    assert (harvest.pages, harvest.kept) == (300, 100)
    assert harvest.harvest_rate == pytest.approx(1 / 3)
    assert harvest.recent_harvest_rate == pytest.approx(0.5)


def test_a_resumed_job_counts_on_and_a_new_one_begins_at_nothing() -> None:
    harvest = HarvestCounter()
    harvest.add(kept=True)
    assert (HarvestCounter(harvest.note()).pages, HarvestCounter(harvest.note()).kept) == (1, 1)
    assert (HarvestCounter().harvest_rate, HarvestCounter().recent_harvest_rate) == (0.0, 0.0)


def test_a_page_that_is_kept_later_or_no_more_changes_the_counts() -> None:
    harvest = HarvestCounter()
    for kind in ("article", "list"):
        harvest.add(kept=True, relevant=True, format="html", kind=kind)
    harvest.change(kept=False, format="html", kind="list")
    assert (harvest.pages, harvest.kept, harvest.relevant, harvest.by_kind()) == (
        2,
        1,
        1,
        "1 articles, 0 lists, 0 stubs",
    )
    harvest.change(kept=True, format="pdf", kind="article")
    assert (harvest.pages, harvest.kept, harvest.articles, harvest.formats["pdf"]) == (2, 2, 2, 1)
