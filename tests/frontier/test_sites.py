import pytest

from topiccrawler.errors import StateError
from topiccrawler.frontier.budgets import FOOTER_SITES, SITE_NOTE, Sites
from topiccrawler.frontier.memory import MemoryFrontier


@pytest.fixture
def sites() -> Sites:
    known = Sites(MemoryFrontier().notes)
    known.seed(["seed.cn"])
    return known


def test_a_site_that_one_site_links_and_that_only_links_itself_is_unproven(sites: Sites) -> None:
    sites.linked("www.seed.cn", ["farm.cn"])
    sites.linked("a.farm.cn", ["b.farm.cn", "farm.cn", "seed.cn"])
    assert sites.is_unproven("farm.cn")
    assert sites.proofs("farm.cn") == 1.0


def test_sites_found_through_one_another_do_not_support_each_other(sites: Sites) -> None:
    sites.linked("seed.cn", ["farm1.cn"])
    sites.linked("farm1.cn", ["farm2.cn", "farm3.cn"])
    sites.linked("farm2.cn", ["farm1.cn", "farm3.cn"])
    sites.linked("farm3.cn", ["farm1.cn", "farm2.cn"])
    assert [sites.is_unproven(f"farm{number}.cn") for number in (1, 2, 3)] == [True] * 3


def test_links_to_sites_known_from_elsewhere_prove_a_site_from_the_third_on(sites: Sites) -> None:
    known = [f"site{number}.cn" for number in range(FOOTER_SITES + 1)]
    sites.linked("seed.cn", [*known, "portal.cn"])
    sites.linked("portal.cn", known[:FOOTER_SITES])
    assert sites.is_unproven("portal.cn")
    sites.linked("portal.cn", known)
    assert not sites.is_unproven("portal.cn")


def test_new_pages_about_the_topic_are_proofs_a_hundred_each(sites: Sites) -> None:
    sites.linked("seed.cn", ["good.cn"])
    for _ in range(300):
        sites.fresh_page("good.cn")
    assert sites.proofs("good.cn") == 4.0
    assert sites.is_unproven("good.cn")


def test_what_was_proved_outlives_the_process(sites: Sites) -> None:
    frontier = MemoryFrontier()
    before = Sites(frontier.notes)
    before.seed(["seed.cn"])
    before.linked("seed.cn", ["farm.cn", "other.cn", "third.cn"])
    before.linked("other.cn", ["third.cn"])
    before.fresh_page("third.cn")
    before.keep()
    after = Sites(frontier.notes)
    for site in ("seed.cn", "farm.cn", "other.cn", "third.cn"):
        assert (after.proofs(site), after.is_unproven(site)) == (
            before.proofs(site),
            before.is_unproven(site),
        )


def test_a_damaged_note_is_refused_in_one_line() -> None:
    frontier = MemoryFrontier()
    frontier.notes.put(SITE_NOTE + "a.cn", "{}")
    with pytest.raises(StateError, match=r"site/a\.cn"):
        Sites(frontier.notes)
