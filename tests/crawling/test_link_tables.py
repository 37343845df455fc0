"""JLSE's LinkTable and ResultTable of a job."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.items import PageItem
from topiccrawler.model import Link, Score
from topiccrawler.results.link_graph import write_tables
from topiccrawler.store.page_store import PageStore
from topiccrawler.store.pages import record_of

SEED, HUB, RESULT = (f"http://a.cn/{name}" for name in ("seed", "hub", "result"))

# From each result to its seed, as the paper builds its graph of links.
PATHS = """WITH RECURSIVE way (result, id, step) AS (
    SELECT urlID, urlID, 0 FROM ResultTable
    UNION ALL SELECT result, parentID, step + 1 FROM way JOIN LinkTable USING (ID) WHERE parentID IS NOT NULL AND step < 100)
SELECT result, step, url, anchorText FROM way JOIN LinkTable USING (ID) ORDER BY result, step"""


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A seed links a hub, the hub a page that was kept."""
    with SqliteFrontier(tmp_path / "job.sqlite") as frontier:
        links = [
            Link(SEED, "a.cn", ""),
            Link(HUB, "a.cn", "栏目", depth=1, source_url=SEED),
            Link(RESULT, "a.cn", "基金", depth=2, source_url=HUB),
        ]
        frontier.push([(link, Score(link.url, 1.0)) for link in links], now=1.0)
    with closing(PageStore(tmp_path / "job.sqlite")) as store:
        store.put(record_of(PageItem(url=RESULT)))
    return tmp_path


def test_from_a_result_the_tables_lead_back_to_its_seed(job: Path) -> None:
    file = job / "tables.sqlite"
    assert write_tables(job, file) == (3, 1)
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT * FROM LinkTable").fetchall() == [
            (1, SEED, None, 0, ""),
            (2, HUB, 1, 1, "栏目"),
            (3, RESULT, 2, 2, "基金"),
        ]
        assert database.execute(PATHS).fetchall() == [
            (3, 0, RESULT, "基金"),
            (3, 1, HUB, "栏目"),
            (3, 2, SEED, ""),
        ]
