"""Which feeds and sitemaps a site is asked for, when, and how often."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from topiccrawler.crawling.admission import Admission, gate_rule
from topiccrawler.crawling.link_gate import OF_SITE, LinkGate
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.crawling.site_listings import LISTING, SiteListings
from topiccrawler.frontier.base import Pushed
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link, Page, Via
from topiccrawler.strategies import build
from topiccrawler.strategies.base import OF_ITS_PAGE

HOST = "http://a.example"
WELL_KNOWN = [f"{HOST}/search.xml", f"{HOST}/atom.xml", f"{HOST}/sitemap.xml"]


def page(
    number: int,
    *listings: str,
    relevant: bool = True,
    kind: str = "level",
    host: str = HOST,
    score: float = 3.5,
) -> Page:
    url = f"{host}/{number}"
    via = Via(Link(url, "a.example", kind=kind, source_url=f"{HOST}/"), score, carry=0.25)
    return Page(url, 4, is_target=relevant, via=via, listings=listings)


def urls(found: Sequence[tuple[Link, object]]) -> list[str]:
    return [link.url for link, _ in found]


def listings(after: int = 2) -> SiteListings:
    return SiteListings(MemoryFrontier(Hosts()).notes, after)


def test_a_hosts_listings_are_queued_once_after_its_second_relevant_page() -> None:
    site = listings()
    assert site.of(page(1)) == []
    assert site.of(page(2, relevant=False)) == []
    assert site.of(page(3, host="http://b.a.example")) == []  # another host of the same domain
    assert urls(site.of(page(4))) == WELL_KNOWN
    assert site.of(page(5)) == []
    assert site.queued_sites == 1


def test_what_a_site_declares_goes_before_the_well_known_places_feeds_first_three_at_most() -> None:
    site = listings(after=1)
    site.declare("a.example", [f"{HOST}/map.xml", "http://b.example/sitemap.xml"])
    assert urls(site.of(page(1, f"{HOST}/rss"))) == [f"{HOST}/rss", f"{HOST}/map.xml"]
    many = [f"{HOST}/{number}" for number in range(5)]
    assert urls(listings(after=1).of(page(1, *many))) == many[:3]
    assert urls(listings(after=1).of(page(1, "http://feeds.example/a"))) == WELL_KNOWN


def test_counts_and_asked_hosts_outlive_the_process(tmp_path: Path) -> None:
    found = []
    for number in range(4):
        with closing(SqliteFrontier(tmp_path / "job.sqlite", Hosts())) as frontier:
            found.append(urls(SiteListings(frontier.notes).of(page(number))))
    assert found == [[], WELL_KNOWN, [], []]


class Dislikes:
    """A link scorer by hand."""

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        return [-5.0 for _ in links]


def test_they_are_queued_in_their_place_and_the_gate_lets_them_pass() -> None:
    gate = LinkGate(Dislikes(), 0.9)
    frontier = MemoryFrontier(Hosts(concurrency=9))
    site = SiteListings(frontier.notes, after=1)
    ordering = Ordering(build("best_first"), frontier, admission=Admission([gate_rule(gate)]), listings=site)
    poor = Link(f"{HOST}/poor", "a.example", source_url=f"{HOST}/1")
    pushed = ordering.visit(page(1, f"{HOST}/rss"), [poor], 0.0)
    assert (pushed[Pushed.NEW], pushed[Pushed.REFUSED]) == (1, 1)
    leased = ordering.lease(0.0)
    assert leased is not None
    assert (leased.link.url, leased.score, leased.link.kind) == (f"{HOST}/rss", 3.5, LISTING)
    decision = gate.decide(leased.link)
    assert (decision.passed, decision.reason) == (True, OF_SITE)
    assert not gate.decide(poor).passed
    assert build("adaptive").shares(leased.link, leased.score, b"") == [(OF_ITS_PAGE, 3.5)]
