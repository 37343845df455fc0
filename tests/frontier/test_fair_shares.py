from math import inf

from topiccrawler.frontier.host_ranking import WINDOW, FairShares
from topiccrawler.frontier.hosts import Hosts

OTHERS = [f"other{number}.cn" for number in range(4)]


def crawl(hosts: Hosts, requests: int, start: int = 0) -> list[str]:
    """Fetch so often, one page at a time; the hosts asked."""
    asked: list[str] = []
    for number in range(start, start + requests):
        host = hosts.best(float(number))
        assert host is not None
        hosts.occupy(host, float(number))
        asked.append(host)
        hosts.done(host, float(number))
    return asked


def hosts_of(farm: float, other: float, proofs: float = 1.0) -> Hosts:
    """A farm and four other sites, each of which always waits with a URL of that worth."""

    def proofs_of(site: str) -> float:
        return proofs if site == "farm.cn" else 1.0

    hosts = Hosts(concurrency=8, worth=float, slots=8, shares=FairShares(proofs_of))
    hosts.want("farm.cn", (-farm, 0))
    for number, host in enumerate(OTHERS, 1):
        hosts.want(host, (-other, number))
    return hosts


def test_a_site_over_its_share_lets_a_promising_url_of_another_go_first() -> None:
    asked = crawl(hosts_of(0.9, 0.5), WINDOW)
    assert asked[: WINDOW // 4] == ["farm.cn"] * (WINDOW // 4)
    assert asked.count("farm.cn") == WINDOW // 4


def test_its_share_grows_with_its_proofs_to_all() -> None:
    counts = [crawl(hosts_of(0.9, 0.5, proofs), 100).count("farm.cn") for proofs in (1.0, 3.0, 27.0, inf)]
    assert counts == sorted(counts)
    assert counts[-1] == 100


def test_a_farm_with_a_host_a_page_gets_no_more_slots_than_its_share_while_others_wait_for_theirs() -> None:
    hosts = Hosts(
        worth=float, slots=8, shares=FairShares(lambda _: 1.0), patience_seconds=1.0, idle_share=0.0
    )
    for number in range(20):
        hosts.want(f"s{number}.farm.cn", (-0.9, number))
    hosts.want("other.cn", (-0.6, 99))
    asked = []
    while (host := hosts.best(0.0)) is not None:
        hosts.occupy(host, 0.0)
        hosts.want(host, None if "farm" in host else (-0.6, 100))
        asked.append(host)
    assert sorted(asked) == ["other.cn", "s0.farm.cn", "s1.farm.cn"]
    hosts.done("other.cn", 0.0)
    assert hosts.best(0.0) == "other.cn"


def test_a_site_that_is_over_its_share_has_all_again_when_no_other_waits() -> None:
    hosts = hosts_of(0.9, 0.5)
    crawl(hosts, 50)
    for host in OTHERS:
        hosts.want(host, None)
    assert set(crawl(hosts, 50, start=50)) == {"farm.cn"}
