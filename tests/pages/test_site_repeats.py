"""What a site writes on many of its pages, counted by hand."""

import pytest

from topiccrawler.pages import site_repeats
from topiccrawler.pages.site_repeats import FULL, Kind, SiteRepeats

SITE, MENU, OWN = "a.example", 1, 1_000


def read(repeats: SiteRepeats, number: int, *segments: tuple[Kind, int], host: str = SITE) -> list[bool]:
    """A page is read; which of its segments are repeats."""
    return repeats.of(host, f"http://{host}/{number}", segments)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Halved after 20 additions; a page with one segment makes three: site, page, segment."""
    monkeypatch.setattr(site_repeats, "HALVED", 20)


def test_a_segment_is_a_repeat_from_its_third_page_on() -> None:
    repeats = SiteRepeats()
    found = [read(repeats, n, ("title", MENU), ("title", OWN + n)) for n in range(5)]
    assert found == [[False, False], [False, False], [True, False], [True, False], [True, False]]


@pytest.mark.parametrize(
    ("kind", "often", "rarely"),
    [
        ("title", 51, 50),
        ("heading", 11, 10),
        ("tag", 61, 60),
        ("category", 61, 60),
        ("folder", 91, 90),
        ("text", 31, 30),
        ("block", 3, 2),
    ],
)
def test_it_must_be_on_more_than_a_share_of_the_earlier_pages(kind: Kind, often: int, rarely: int) -> None:
    """Of 100 earlier pages: half of the titles, a tenth of the headings, six tenths of the tags and categories, nine of the folders,
    three of the lines, a fiftieth of the blocks."""
    for count, is_repeat in ((often, True), (rarely, False)):
        repeats = SiteRepeats()
        for n in range(100):
            read(repeats, n, (kind, MENU) if n < count else (kind, OWN + n))
        assert read(repeats, 100, (kind, MENU)) == [is_repeat]


def test_a_page_read_again_is_not_counted_twice_and_is_held_against_the_others() -> None:
    repeats = SiteRepeats()
    for _ in range(9):
        assert read(repeats, 0, ("title", MENU)) == [False]
    assert read(repeats, 1, ("title", MENU)) == [False]
    assert read(repeats, 1, ("title", MENU)) == [False], "one other page has it"
    assert read(repeats, 2, ("title", MENU)) == [True]
    assert read(repeats, 0, ("title", MENU)) == [True], "by now two others have it"


class Memory:
    """Keeps counts as a database does."""

    def __init__(self) -> None:
        self.table, self.pages = b"", list[bytes]()

    def load(self) -> tuple[bytes, list[bytes]]:
        return self.table, [*self.pages]

    def add(self, page: bytes) -> None:
        self.pages.append(page)

    def save(self, table: bytes) -> None:
        self.table, self.pages = table, []


@pytest.mark.parametrize("saved", [2, 500], ids=["with the whole table", "page by page"])
def test_what_is_kept_is_there_when_the_crawl_goes_on(monkeypatch: pytest.MonkeyPatch, saved: int) -> None:
    monkeypatch.setattr(site_repeats, "_SAVED", saved)
    kept = Memory()
    for n in range(3):  # a process a page
        found = read(SiteRepeats(kept), n, ("title", MENU))
    assert found == [True]
    assert (bool(kept.table), len(kept.pages)) == ((True, 1) if saved == 2 else (False, 3))
    assert read(SiteRepeats(kept), 0, ("title", OWN)) == [False]
    assert read(SiteRepeats(), 3, ("title", MENU)) == [False], "in memory alone"


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_counts_are_halved_and_what_a_site_still_repeats_comes_back() -> None:
    """Seven pages make 21 additions: site 7 and menu 7 become 3 and 3. A segment of one page is forgotten."""
    kept = Memory()
    repeats = SiteRepeats(kept)
    for n in range(7):
        read(repeats, n, ("title", MENU))
    table = list(filter(None, repeats._table))
    assert table == [3, 3]
    assert read(repeats, 7, ("title", MENU)) == [True]
    assert read(repeats, 0, ("title", MENU)) == [True], "a forgotten page counts again"
    assert sorted(filter(None, SiteRepeats(kept)._table)) == [1, 1, 5, 5]


@pytest.mark.slow
def test_counts_stop_when_they_are_full() -> None:
    repeats = SiteRepeats()
    for n in range(3):
        read(repeats, n, ("title", MENU))
    table = repeats._table
    for place in [place for place, count in enumerate(table) if count == 3]:
        table[place] = FULL
    assert read(repeats, 3, ("title", MENU)) == [True]
    assert max(table) == FULL
