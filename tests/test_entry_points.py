"""Parts of other people's packages, found by entry points: the examples of docs/parts.md, installed and used."""

import io
import os
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import FUNDS, crawl_words, json_lines, page
from drawn_web import answer
from forked_scrapy import ForkedScrapy, scrapy_environment
from message_facts import unlike

from topiccrawler.crawling.page_stores import visits_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "parts.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"```python\n# (\w+\.py)\n(.*?)```", PAGE, re.DOTALL))
BROKEN = """
[topiccrawler.strategies]
broken = theirs_strategy:Missing
none = theirs_strategy:check_range

[topiccrawler.page_classifiers]
broken = theirs_classifier:Missing
none = builtins:str
fails = builtins:int

[topiccrawler.formats]
pdf = nothing_there
absent = nothing_there
none = theirs_strategy
fails = theirs_failing_format
bad = theirs_bad_format
"""
FAILING_FORMAT = (
    "def recognises(head, content_type):\n    return head.no_such\n\n\ndef read(body):\n    ...\n"
)
BAD_FORMAT = """
from topiccrawler.pages.formats.registry import Extract


def recognises(head, content_type):
    return content_type == "bad/thing"


def read(body):
    return {b"raises": lambda: 1 / 0, b"nothing": lambda: None, b"odd": lambda: Extract(7, [("基金", "http://a.cn/"), (None, 1)])}[body]()
"""


def install(place: Path, points: str, **modules: str) -> Path:
    """A folder with a package of another name, as an installer leaves it."""
    place.mkdir(exist_ok=True)
    for name, code in EXAMPLES.items():
        (place / name).write_text(code, encoding="utf-8")
    for name, code in modules.items():
        (place / f"{name}.py").write_text(code, encoding="utf-8")
    about = place / "theirs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(points)
    return place


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples."""
    (points,) = re.findall(r"```ini\n(.*?)```", PAGE, re.DOTALL)
    return install(tmp_path_factory.mktemp("site"), points)


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same modules, with entry points that are of no use."""
    modules = {"theirs_failing_format": FAILING_FORMAT, "theirs_bad_format": BAD_FORMAT}
    return install(tmp_path_factory.mktemp("broken"), BROKEN, **modules)


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path], ForkedScrapy]]:
    """Processes in which a package is installed."""
    begun: dict[Path, ForkedScrapy] = {}

    def at(installed: Path) -> ForkedScrapy:
        if installed not in begun:
            path = os.pathsep.join([str(installed), str(ROOT)])
            environment = scrapy_environment(None, {"PYTHONPATH": path})
            begun[installed] = ForkedScrapy(tmp_path_factory.mktemp("warm"), ROOT, environment)
        return begun[installed]

    yield at
    for one in begun.values():
        one.close()


@pytest.fixture
def answers(warm: Callable[[Path], ForkedScrapy], tmp_path: Path) -> Callable[[Path, str], list[str]]:
    """What a program prints where a package is installed; its last line of errors when that is nothing."""

    def run(installed: Path, program: str) -> list[str]:
        script = tmp_path / "program.py"
        script.write_text(program, encoding="utf-8")
        done = warm(installed)(str(script))
        return done.out.splitlines() or done.err.splitlines()[-1:]

    return run


@pytest.fixture
def faults(answers: Callable[[Path, str], list[str]]) -> Callable[..., list[str]]:
    """The CrawlerErrors of calls."""

    def run(installed: Path, imports: str, *calls: str) -> list[str]:
        refused = "except CrawlerError as fault: print(type(fault).__name__, fault)"
        lines = [f"try: {call}\n{refused}" for call in calls]
        return answers(
            installed, "\n".join(["from topiccrawler.errors import CrawlerError", imports, *lines])
        )

    return run


def book() -> bytes:
    """An EPUB of one chapter."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("mimetype", "application/epub+zip")
        packed.writestr("book.opf", "<package><dc:title>基金入门</dc:title></package>")
        packed.writestr("one.xhtml", f"<html><body><p>{FUNDS}</p>\n<p>基金定投</p></body></html>")
    return file.getvalue()


def test_what_cannot_be_used_is_one_line_that_names_its_entry_point(
    broken: Path, faults: Callable[..., list[str]]
) -> None:
    build = "from topiccrawler.strategies import build"
    said = (
        "StrategyError strategy 'broken': .*AttributeError: .*'Missing'; .* theirs_strategy:Missing ",
        r"StrategyError strategy 'none': .* topiccrawler\.strategies\.base\.Strategy; .* theirs_strategy:check_range ",
    )
    assert unlike(faults(broken, build, "build('broken')", "build('none')"), *said) == []
    make = (
        "from topiccrawler.topics.topic import Topic; from topiccrawler.relevance.choose import make_page_classifier;"
        "make = lambda name: make_page_classifier(Topic(name='t', keywords={'基金': 1.0}), name)"
    )
    found = faults(broken, make, "make('broken')", "make('none')", "make('fails')")
    said = (
        "ModelError page classifier 'broken': .*AttributeError: .*'Missing'",
        "ModelError page classifier 'none': .* threshold, reads_segments, similarity_threshold, similarity, relevance, explain;",
        "ModelError page classifier 'fails': .*TypeError: .*'Topic'",
    )
    assert unlike(found, *said) == []


def test_formats_that_cannot_be_used_are_left_out_with_a_line_each(
    broken: Path, answers: Callable[..., list[str]]
) -> None:
    program = (
        "import logging, sys; logging.basicConfig(format='%(message)s', stream=sys.stdout);"
        "from topiccrawler.pages.formats.registry import recognise;"
        "found = [recognise(b'%PDF-1.7'), *(recognise(b'\\0\\0\\0', 'some/thing') for _ in range(2))];"
        "logging.warning(found)"
    )
    said = (
        "format 'absent': .*ModuleNotFoundError: .*'nothing_there'; .* nothing_there ",
        "format 'none': .* recognises, read; .* theirs_strategy ",
        r"format 'fails': AttributeError\(.*'no_such'",
        r"\['pdf', 'unknown', 'unknown'\]$",
    )
    assert unlike(answers(broken, program), *said) == []


def test_a_format_that_fails_on_a_file_says_why_and_what_it_gives_is_made_plain(
    broken: Path, answers: Callable[..., list[str]]
) -> None:
    program = (
        "from topiccrawler.pages.read import Reader; from topiccrawler.relevance.choose import untrained;"
        "from topiccrawler.topics.topic import Topic\n"
        "reader = Reader(untrained(Topic(name='t', keywords={'基金': 1.0})))\n"
        "for body in (b'raises', b'nothing', b'odd'):\n"
        "    it = reader.read('http://a.cn/', body, content_type='bad/thing'); print(it.format, it.fault, it.page.title)"
    )
    said = ("bad ZeroDivisionError: ", "bad AttributeError: .*'bounded'", "bad TypeError: ")
    assert unlike(answers(broken, program), *said) == []


def test_a_crawl_uses_all_three_and_its_job_goes_on(
    draw_web: Callable[..., Any], warm: Callable[[Path], ForkedScrapy], installed: Path, tmp_path: Path
) -> None:
    home, epub, near = (f"http://hub.example/{path}" for path in ("", "book.epub", "a/b/"))
    pages = {
        home: page("基金", FUNDS, ("/book.epub", "电子书"), ("/a/b/c/d/e/f/", "远"), ("/a/b/", "近")),
        epub: answer(200, book(), Content_Type="application/octet-stream"),
        near: page("体育", FUNDS),
    }
    web, job, scrapy = draw_web(pages), tmp_path / "job", warm(installed)
    parts = {"strategy": "short_addresses", "strategy_most": 30, "page_classifier": "title_only"}
    for limit, fetched in ((2, [home, near]), (None, [home, near, epub])):
        ran = scrapy(*crawl_words(job, pages=limit, **parts), proxy=web.proxy)
        assert ran.code == 0, ran.err
        assert web.fetched() == fetched
    visits = [(visit.url, visit.stored) for visit in visits_of(job)]
    assert visits == [(home, True), (near, False), (epub, True)]
    [of_book] = json_lines(scrapy("pages", str(job), "--file-type", "epub", "--json").out)
    assert (of_book["title"], of_book["url"]) == ("基金入门", epub)
