"""A crawl log that is read while it grows."""

from contextlib import closing
from pathlib import Path

from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.model import Visit
from topiccrawler.results.jobs import JobLog
from topiccrawler.results.summary import path_to
from topiccrawler.store.visits import VisitLog


def visit(url: str, source: str = "", *, stored: bool = False) -> Visit:
    return Visit(url, 200, 1.5, 0.5, stored, 1.0, source, anchor=f"to {url[-1]}")


def write(folder: Path, *visits: Visit) -> None:
    with closing(VisitLog(folder / JOB_DATABASE)) as log:
        for one in visits:
            log.append(one)


def test_only_what_is_new_is_read_also_beside_the_crawl(tmp_path: Path) -> None:
    log = JobLog(tmp_path)
    assert log.advance() == 1.0
    with closing(VisitLog(tmp_path / JOB_DATABASE)) as crawl:
        crawl.append(visit("http://a.cn/1", stored=True))
        crawl.commit()
        crawl.append(visit("http://b.cn/2", "http://a.cn/1"))
        log.advance()
        assert (log.tally.fetched, log.tally.kept) == (1, 1)
        crawl.commit()
        log.advance()
    assert (log.tally.fetched, log.tally.recent) == (2, (2, 1))
    assert [(site.host, site.is_seed, site.met_at) for site in log.tally.sites] == [
        ("a.cn", True, 0),
        ("b.cn", False, 1),
    ]


def test_another_job_in_its_place_is_read_anew(tmp_path: Path) -> None:
    log = JobLog(tmp_path)
    write(tmp_path, visit("http://a.cn/1"), visit("http://a.cn/2"))
    log.advance()
    (tmp_path / JOB_DATABASE).rename(tmp_path / "former.sqlite")
    write(tmp_path, *[visit(f"http://c.cn/{number}") for number in range(3)])
    log.advance()
    assert [site.host for site in log.tally.sites] == ["c.cn"]


def test_a_long_log_is_read_in_pieces(tmp_path: Path) -> None:
    write(tmp_path, *[visit(f"http://a.cn/{number}") for number in range(1000)])
    log = JobLog(tmp_path)
    share = log.advance(0.0)
    assert 0 < share < 1
    assert log.advance() == 1.0
    assert log.tally.fetched == 1000


def test_the_way_from_the_seed(tmp_path: Path) -> None:
    pages = [("http://a.cn/1", ""), ("http://a.cn/2", "http://a.cn/1"), ("http://a.cn/3", "http://a.cn/2")]
    write(tmp_path, *[visit(*page) for page in pages])
    with closing(VisitLog(tmp_path / JOB_DATABASE)) as log:
        way = path_to(log, "http://a.cn/9", "http://a.cn/3", "here")
    assert [(step.url[-1], step.anchor, step.score) for step in way] == [
        ("1", "to 1", 1.5),
        ("2", "to 2", 1.5),
        ("3", "to 3", 1.5),
        ("9", "here", None),
    ]
