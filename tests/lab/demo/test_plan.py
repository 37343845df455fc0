"""The plan keeps what the web promises."""

from collections import Counter

import pytest

from topiccrawler.lab.demo.language import SUBJECTS, TOPICS
from topiccrawler.lab.demo.plan import CRAWL, MIXED, TRAIN, Web, key


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


def test_every_host_is_an_example_host_of_one_part_only(web: Web) -> None:
    assert all(host.endswith(".example") for host in web.hosts())
    assert not set(web.hosts(CRAWL)) & set(web.hosts(TRAIN))


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


def test_the_calendar_has_no_end_but_counts_as_few_pages(web: Web) -> None:
    assert sum(page.kind == "month" for page in web.pages.values()) == 24
    assert web.truth("http://rili.example/2500/07/") == MIXED
    assert web.truth("http://rili.example/2500/13/") is None
    assert web.truth("http://rili.example/2500/7/") is None
    assert web.truth("http://rili.example//07/") is None


def test_headlines_mostly_name_their_topic_and_sometimes_mislead(web: Web) -> None:
    articles = [page for page in web.pages.values() if page.kind == "article"]
    words = [
        word for word in SUBJECTS["finance"].nouns if word not in {"投资", "贷款", "利率", "融资", "估值"}
    ]

    def share(on_topic: bool) -> float:
        chosen = [page for page in articles if (page.topic == "finance") == on_topic]
        return sum(any(word in page.title for word in words) for page in chosen) / len(chosen)

    assert 0.75 < share(on_topic=True) < 0.95
    assert 0.03 < share(on_topic=False) < 0.15


@pytest.mark.parametrize(
    "spelling",
    [
        "http://WWW.A.example/x/",
        "http://www.a.example:80/x/#part",
        "http://www.a.example/x/index.html",
        "http://www.a.example/x/?utm_source=b&spm=1",
        "http://www.a.example./x/",
    ],
)
def test_spellings_of_one_page_have_one_key(spelling: str) -> None:
    assert key(spelling) == "http://www.a.example/x/"


def test_gbk_and_utf8_forms_of_a_word_stay_apart() -> None:
    assert key("http://a.example/so.php?q=%b9%c9") == "http://a.example/so.php?q=%B9%C9"
    assert key("http://a.example/so.php?q=股") == "http://a.example/so.php?q=%E8%82%A1"


@pytest.mark.parametrize(
    "junk", ["http://[内页", "", "mailto:a@b", "javascript:void(0)", "http://a.example:99999/"]
)
def test_junk_gives_a_key_that_no_page_has_and_raises_nothing(web: Web, junk: str) -> None:
    assert key(junk) not in web.pages
