from __future__ import annotations

import pytest

from topiccrawler.crawl.harvest_counter import RECENT_PAGES, Tally


def test_rates_over_all_pages_and_over_the_last_two_hundred() -> None:
    tally = Tally()
    for number in range(RECENT_PAGES + 100):
        tally.add(kept=number >= RECENT_PAGES)
    assert (tally.pages, tally.kept) == (300, 100)
    assert tally.harvest_rate == pytest.approx(1 / 3)
    assert tally.recent_harvest_rate == pytest.approx(0.5)


def test_a_resumed_job_counts_on_and_a_new_one_begins_at_nothing() -> None:
    tally = Tally()
    tally.add(kept=True)
    assert (Tally(tally.note()).pages, Tally(tally.note()).kept) == (1, 1)
    assert (Tally().harvest_rate, Tally().recent_harvest_rate) == (0.0, 0.0)
