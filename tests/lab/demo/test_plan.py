"""The plan keeps what the web promises."""

from collections import Counter

import pytest

from topiccrawler.lab.demo.language import TOPICS
from topiccrawler.lab.demo.plan import CRAWL, MIXED, Web


def test_the_web_is_large_enough(web: Web) -> None:
    assert len(web.hosts()) >= 40
    assert len(web.pages) >= 2_000
    assert len(web.hosts(CRAWL)) >= 40
    assert sum(1 for _ in web.of_part(CRAWL)) >= 2_000


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_eight_to_twelve_percent_of_the_pages_are_about_finance(seed: int) -> None:
    topics = Counter(page.topic for page in Web(seed).pages.values())
    assert 0.08 <= topics["finance"] / topics.total() <= 0.12
    assert set(topics) == {*TOPICS, MIXED}


@pytest.mark.slow
def test_the_same_seed_plans_the_same_pages_and_another_seed_others() -> None:
    def rows(web: Web) -> list[tuple[str, str, str]]:
        return [(page.url, page.topic, page.title) for page in web.pages.values()]

    assert rows(Web(7)) == rows(Web(7))
    assert rows(Web(7)) != rows(Web(8))


def test_truth_knows_pages_in_any_spelling_and_nothing_else(web: Web) -> None:
    assert web.truth("http://finance.yunting.example/") == "finance"
    assert web.truth("http://FINANCE.yunting.example:80/index.html?utm_source=x#top") == "finance"
    assert web.truth("http://www.beichuang.example/tiyu/") == "sport"
    assert web.truth("http://daohang.example/") == MIXED
    assert web.truth("http://finance.yunting.example/gone.html") is None
    assert web.truth("http://nobody.example/") is None
    assert web.truth("http://[broken") is None
