"""`scrapy compare` as a user types it, on a small recorded web."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from message_facts import numbers

from topiccrawler.commands.compare import _seeds
from topiccrawler.lab import reporting
from topiccrawler.replay.warc_writing import write_web

pytestmark = pytest.mark.slow

TEA = "茶叶绿茶，" * 30
A = "http://a.example"
WEB = {
    f"{A}/": "<title>首页</title><a href=/news/>新闻</a> <a href=/hub/>栏目</a> <a href=http://b.example/>别处</a>",
    f"{A}/news/": "<title>新闻</title><a href=/rain/>天气</a>",
    f"{A}/hub/": f"<title>茶叶</title><p>{TEA}</p><a href=/green>绿茶</a> <a href=/black/>红茶</a>",
    f"{A}/rain/": "<title>下雨</title>今天下雨",
    f"{A}/green/": f"<title>绿茶</title><p>{TEA}</p>",
    f"{A}/black/": f"<title>茶叶</title><p>{TEA}</p>",
}
TOPIC = 'name = "{name}"\nzh = "茶"\npage_threshold = 0.2\nnarrow = false\nproposed_words = 0\nseeds = ["http://a.example/"]\n[keywords]\n"茶叶" = 1\n"绿茶" = 1\n'


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with web.warc, labels.tsv, tea.toml and wine.toml."""
    html = [("Content-Type", "text/html; charset=utf-8")]
    write_web(tmp_path / "web.warc", ((url, 200, html, page.encode()) for url, page in WEB.items()))
    (tmp_path / "labels.tsv").write_text(
        f"#url\ttopics\thow\tkind\n{A}/green/\ttea,wine\tsite\tcontent\n{A}/black/\ttea\tsite\tcontent\n",
        encoding="utf-8",
    )
    for name in ("tea", "wine"):
        (tmp_path / f"{name}.toml").write_text(TOPIC.format(name=name), encoding="utf-8")
    return tmp_path


@pytest.fixture
def no_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn, they would be most of a small comparison's time."""
    monkeypatch.setattr(reporting, "plots", lambda *_: {})


def compare(run: Callable[..., Any], files: Path, *more: str, topic: str = "tea") -> Any:
    topics = ",".join(str(files / f"{name}.toml") for name in topic.split(","))
    web, out = str(files / "web.warc"), str(files / "out")
    return run("compare", "--web", web, "--topic", topics, "--out", out, *more)


@pytest.mark.parametrize(
    ("more", "pages"), [((), 5), (("-s", "TOPIC_EXPAND=all"), 6)], ids=["as the thesis", "all"]
)
def test_the_myspider_experiment_follows_no_link_of_a_page_below_the_threshold(
    command: Callable[..., Any], files: Path, no_plots: None, more: tuple[str, ...], pages: int
) -> None:
    """/news/ is off topic, and only it links to /rain/; the seed's links are followed though it is off topic too (§4.2.2)."""
    options = ("--experiment", "myspider", "--strategies", "breadth_first,hits:hubs=0.5", "--jobs", "1")
    ran = compare(command, files, *options, "--seeds", f"{A}/", *more)
    assert ran.code == 0, ran.err
    result = json.loads((files / "out" / "result.json").read_text(encoding="utf-8"))
    assert [one["pages"] for one in result["strategies"].values()] == [pages, pages]


def test_it_prints_a_table_and_writes_files_that_repeat_to_the_bit(
    forked_scrapy: Callable[..., Any], command: Callable[..., Any], files: Path
) -> None:
    more = ("--labels", str(files / "labels.tsv"), "--strategies", "breadth_first,best_first,random_order")
    more += ("--pages", "5", "--repeat", "2", "--jobs", "1", "--concurrency", "1")
    ran = compare(forked_scrapy, files, *more)  # whose sets are ordered otherwise than this process's
    assert ran.code == 0, ran.err
    assert numbers(next(line for line in ran.out.splitlines() if line.startswith("tea: ")))[:3] == [
        "5",
        "2",
        "6",
    ]
    out = files / "out"
    written = {path.name: path.read_bytes() for path in out.iterdir()}
    assert sorted(written) == [
        *("cost.json", "curves.csv", "harvest.png", "recall.png"),
        *("recall_content.png", "reliability.png", "report.html", "result.json"),
    ]
    found = json.loads(written["result.json"])
    # breadth-first: home news hub rain green -> 0 0 0 0 1; oracle: home hub green black news -> 0 0 1 2 2
    assert found["strategies"]["breadth_first"]["oracle_ratio"] == 0.2
    assert found["strategies"]["breadth_first"]["harvest_rate"] == {"5": 0.2}
    assert found["strategies"]["best_first"]["oracle_ratio"] == 0.6  # home news hub green black -> 0 0 0 1 2
    assert list(found["strategies"]) == ["breadth_first", "best_first", "random_order"]
    kept = found["strategies"]["best_first"]["kept"]
    assert [kept[name] for name in ("pages", "precision", "recall", "p_at_25")] == [2, 1.0, 1.0, 1.0]
    assert 0 < kept["calibration_error"] < 0.002  # both are wholly about tea
    assert found["strategies"]["breadth_first"]["kept"]["pages"] == 1
    assert compare(command, files, *more).code == 0
    for path in out.iterdir():
        assert path.name == "cost.json" or path.read_bytes() == written[path.name], path.name


@pytest.mark.usefixtures("no_plots")
def test_several_topics_in_one_call_as_json(command: Callable[..., Any], files: Path) -> None:
    ran = compare(
        *(command, files, "--labels", str(files / "labels.tsv"), "--strategies", "best_first", "--jobs", "1"),
        *("--seeds", f"tea={A}/", "--seeds", f"{files / 'wine.toml'}={A}/hub/", "--pages", "4", "--json"),
        topic="tea,wine",
    )
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert list(found) == ["tea", "wine"]
    assert [found[topic]["seeds"] for topic in found] == [[f"{A}/"], [f"{A}/hub/"]]
    assert found["wine"]["strategies"]["best_first"]["target_recall"] == {"4": 1.0}
    assert json.loads((files / "out" / "wine" / "result.json").read_text(encoding="utf-8")) == found["wine"]
    assert (files / "out" / "report.html").exists()


@pytest.mark.usefixtures("no_plots")
def test_the_real_engine_crawls_the_same_pages(command: Callable[..., Any], files: Path) -> None:
    ran = compare(
        *(command, files, "--live", "--labels", str(files / "labels.tsv"), "--strategies", "best_first"),
        *("--pages", "6", "--jobs", "1"),
    )
    assert ran.code == 0, ran.err
    found = json.loads((files / "out" / "result.json").read_text(encoding="utf-8"))
    assert found["mode"] == "live"
    assert found["strategies"]["best_first"]["pages"] == 6
    assert found["strategies"]["best_first"]["target_recall"] == {"6": 1.0}
    kept = found["strategies"]["best_first"]["kept"]
    # all have the hub's text, and the hub is no content page; the title of one says that it is another page
    assert (kept["pages"], kept["precision"], kept["recall"]) == (1, 1.0, 0.5)
    assert sum(part["pages"] for part in kept["reliability"]) == 2
    assert (
        "no_page" not in found["strategies"]["best_first"]
    )  # b.example was not recorded, so it was not asked for


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        (("--strategies", "nonsense"), "'nonsense': is unknown"),
        (("--strategies", "naive_bayes", "-s", "TOPIC_LINK_MODELS=nowhere"), "link model of topic 'tea'"),
        (("--pages", "0"), "--pages 0"),
        (("--concurrency", "0"), "--concurrency 0"),
        (("--seeds", "http://b.example/"), "holds none of them"),
        (("--seeds", "wine=seeds.txt"), "wine=seeds.txt: cannot be read"),
        (("--labels", "nowhere.tsv"), "nowhere.tsv: cannot be read"),
        (("--web", "nowhere.warc"), "nowhere.warc"),
        (("leftover",), "leftover: unknown argument"),
    ],
)
def test_a_slip_is_one_clear_line_and_a_failure(
    more: tuple[str, ...], fault: str, command: Callable[..., Any], files: Path
) -> None:
    ran = compare(command, files, *more)
    assert ran.code != 0
    assert fault in ran.out + ran.err
    assert "Traceback" not in ran.out + ran.err


def test_seeds_are_given_to_a_topic_by_the_name_that_the_user_wrote() -> None:
    configured = [f"财经={A}/1", f"sport={A}/2?a=b", f"{A}/3?finance=4", f"finance={A}/5"]
    topics = [("财经", "finance"), ("体育", "sport")]
    names = {"财经", "finance", "体育", "sport"}
    found = {name: _seeds(configured, written, name, names).positive for written, name in topics}
    assert found == {
        "finance": [f"{A}/1", f"{A}/3?finance=4", f"{A}/5"],
        "sport": [f"{A}/2?a=b", f"{A}/3?finance=4"],
    }


@pytest.mark.usefixtures("no_plots")
def test_an_experiment_gives_strategies_and_shows_every_count(
    command: Callable[..., Any], files: Path
) -> None:
    more = ("--experiment", "skyreach", "--labels", str(files / "labels.tsv"), "--pages", "6", "--step", "1")
    ran = compare(command, files, *more, "--jobs", "1")
    assert ran.code == 0, ran.err
    assert all(f"@{n}" in ran.out for n in range(1, 7))
    found = json.loads((files / "out" / "result.json").read_text(encoding="utf-8"))
    assert {"breadth_first", "pagerank", "ipagerank"} <= found["strategies"].keys()
    assert list(found["oracle"]["harvest_rate"]) == ["1", "2", "3", "4", "5", "6"]
