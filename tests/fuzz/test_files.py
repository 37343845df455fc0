"""No file that somebody wrote, damaged or hostile, ends a reader otherwise than with its values or with one line."""

import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from damaged_inputs import spoilt_bytes, spoilt_value
from hypothesis import HealthCheck, given
from hypothesis import settings as conditions
from hypothesis import strategies as st

from topiccrawler.crawling import teaching
from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.job_files import JOB, read_recipe, write_recipe
from topiccrawler.crawling.page_stores import visits_of
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.engine.control.client import FILE, JOURNAL, Address, orders
from topiccrawler.errors import CrawlerError
from topiccrawler.job_database import JOB_DATABASE, JobDatabase
from topiccrawler.link_model import model_file
from topiccrawler.link_model.classifier import Counts, Lexicon, LinkClassifier
from topiccrawler.model import Link, Visit
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance import linear
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.seeding.seed_files import read_seeds
from topiccrawler.store.visits import VisitLog
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.topic_files import check
from topiccrawler.zstandard import compress

pytestmark = pytest.mark.slow
FUZZ = conditions(suppress_health_check=[HealthCheck.function_scoped_fixture])

TOPIC = {
    "name": "tea", "zh": "茶", "keywords": {"茶叶": 1.0, "乌龙茶": 0.5, "green tea": 0.3}, "seeds": ["http://a.example/", "-http://b.example/"],
    "positive": ["a.example/tea/"], "negative": ["b.example"], "breadth": "specific", "page_threshold": 0.2, "link_threshold": 0.1,
    "narrow": True, "proposed_words": 3,
    "sites": {"a.example": {"title": "h1"}}, "trust": {"茶叶": 0.5}, "against": {"足球": 1.0}, "reasons": {"茶叶": "yours"},
}  # fmt: skip
LINK = Link("http://a.example/x", "a.example", "乌龙茶", before="茶", after="叶")
WORDS = PageWords(title=["茶叶"], body=["茶叶", "足球"])
ADDRESS = {"url": "http://127.0.0.1:1", "token": "x", "pid": 1}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("spoilt")


@contextmanager
def refused_in_one_line() -> Iterator[None]:
    """What is read within may be refused, but only so."""
    said = ""
    try:
        yield
    except CrawlerError as error:
        said = str(error)
    assert "\n" not in said
    assert len(said) < 3010


@FUZZ
@given(spoilt_value(TOPIC))
def test_topic_files(place: Path, fields: Any) -> None:
    file = place / "tea.toml"
    with suppress(TypeError, ValueError, AttributeError):  # TOML has no such value
        file.write_text(tomli_w.dumps(fields), encoding="utf-8")
    with refused_in_one_line():
        check(load_topic(str(file)))
        assemble(Recipe(str(file), "breadth_first"))


def recipe_as_written(place: Path) -> dict[str, Any]:
    fields = load_tea(place).model_dump()
    write_recipe(Recipe("tea", "adaptive", topic_fields=fields, parameters={"rate": "0.3"}), place)
    return json.loads((place / JOB).read_text(encoding="utf-8"))


def load_tea(place: Path) -> Any:
    (place / "whole.toml").write_text(tomli_w.dumps(TOPIC), encoding="utf-8")
    return load_topic(str(place / "whole.toml"))


@FUZZ
@given(st.data())
def test_recipes_of_jobs(place: Path, data: st.DataObject) -> None:
    text = json.dumps(data.draw(spoilt_value(recipe_as_written(place))))
    (place / JOB).write_text(text, encoding="utf-8")
    with refused_in_one_line():
        recipe = read_recipe(place)
        assert recipe is not None
        assemble(recipe)


@FUZZ
@given(st.data())
def test_what_a_job_was_taught(place: Path, data: st.DataObject) -> None:
    topic = load_tea(place).model_dump()
    step = {"answers": {"http://a.example/": True}, "topic": topic, "strategy_topic": None, "time": 1.0}
    kept = {"base": topic, "steps": [step]}
    (place / teaching.TEACHING).write_text(json.dumps(data.draw(spoilt_value(kept))), encoding="utf-8")
    with refused_in_one_line():
        teaching.with_teaching(Recipe("tea", "adaptive", topic_fields=topic), place)


def link_model() -> dict[str, Any]:
    counts = Counts()
    counts.add({"anchor": ["乌龙茶", "@lexicon"], "context": ["茶叶"], "url": ["tea"]}, True, 1.5)
    counts.add({"anchor": ["足球"], "context": ["足球"], "url": []}, False, 0.125)
    trust = {"anchor": 1.0, "context": 0.5, "url": 0.0}
    model = LinkClassifier("tea", counts, "dom", 0.25, trust, 0.75, -8.5, Lexicon(["乌龙茶"]), {}, {})
    return json.loads(model_file.dumps(model))


@FUZZ
@given(spoilt_value(link_model()))
def test_link_models(place: Path, values: Any) -> None:
    file = place / "tea.json.zst"
    file.write_bytes(compress(json.dumps(values).encode(), 1))
    with refused_in_one_line():
        model = model_file.load(file)
        [odds] = model.log_odds([LINK])
        assert abs(odds) < 1e15
        model.explain(LINK)


BYTES: dict[str, tuple[bytes, Callable[[Path], object]]] = {
    "tea.toml": (tomli_w.dumps(TOPIC).encode(), lambda file: load_topic(str(file))),
    "tea.json.zst": (compress(json.dumps(link_model()).encode(), 1), model_file.load),
}


@pytest.mark.parametrize("name", BYTES)
@FUZZ
@given(data=st.data())
def test_bytes_of_topic_files_and_link_models(place: Path, name: str, data: st.DataObject) -> None:
    whole, read = BYTES[name]
    (place / name).write_bytes(data.draw(spoilt_bytes(whole)))
    with refused_in_one_line():
        read(place / name)


def page_classifier(place: Path) -> dict[str, Any]:
    import numpy as np

    made = linear.LinearClassifier(
        name="svm", topic="tea", similarity_threshold=0.4, classes=("tea", "sports"), words={"茶叶": 0, "足球": 1}, factors=np.array([2.0, 1.0]),
        values=np.array([[1.0, -0.5], [-0.5, 1.0]]), biases=np.array([0.1, 0.0]), slope=2.0, offset=-0.5, unit=True, mean=False, training={}, scores={},
    )  # fmt: skip
    linear.save(made, place / "svm.json")
    return json.loads((place / "svm.json").read_text(encoding="utf-8"))


@FUZZ
@given(st.data())
def test_page_classifiers(place: Path, data: st.DataObject) -> None:
    file = place / "svm.json"
    file.write_text(json.dumps(data.draw(spoilt_value(page_classifier(place)))), encoding="utf-8")
    with refused_in_one_line():
        found = linear.load(file, "svm")
        assert 0.0 <= found.relevance(WORDS) <= 1.0
        found.explain(WORDS)


@FUZZ
@given(
    spoilt_value(ADDRESS), spoilt_bytes(b'{"time": 1.0, "verb": "pause"}\n{"time": 2.0, "verb": "stop"}\n')
)
def test_control_files(place: Path, address: Any, journal: bytes) -> None:
    (place / FILE).write_text(json.dumps(address), encoding="utf-8")
    (place / JOURNAL).write_bytes(journal)
    with suppress(CrawlerError):
        Address.read(place)
    assert all("verb" in order for order in orders(place))


@pytest.fixture(scope="module")
def job_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A small job's database."""
    path = tmp_path_factory.mktemp("job") / JOB_DATABASE
    with closing(JobDatabase(path)) as database:
        shares = [("page", 1.5)]
        VisitLog(database).append(Visit("http://a.cn/", 200, 1.5, 0.5, stored=True, time=1.0, shares=shares))
    return path.read_bytes()


@FUZZ
@given(data=st.data())
def test_job_databases(place: Path, job_bytes: bytes, data: st.DataObject) -> None:
    (place / JOB_DATABASE).write_bytes(data.draw(spoilt_bytes(job_bytes)))
    with refused_in_one_line():
        for visit in visits_of(place):
            assert isinstance(visit.url, str)


SEEDS = {
    "list": "# 茶\nhttp://a.example/  # 一\n-http://b.example/\n".encode(),
    "opml": b'<opml version="2.0"><body><outline text="x"><outline xmlUrl="http://a.example/rss" htmlUrl="http://a.example/"/></outline></body></opml>',
    "rss": b"<rss version='2.0'><channel><item><title>x</title><link>http://a.example/</link></item></channel></rss>",
    "urlset": b"<urlset><url><loc> http://a.example/ </loc><lastmod>2024-01-01</lastmod></url></urlset>",
    "bookmarks": b'<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><A HREF="http://a.example/" ADD_DATE="1">x</A></DL>',
    "gzip": gzip.compress(b"http://a.example/\n" * 20),
}


@pytest.mark.parametrize("kind", SEEDS)
@FUZZ
@given(data=st.data())
def test_seed_files(place: Path, kind: str, data: st.DataObject) -> None:
    file = place / "seeds.dat"
    file.write_bytes(data.draw(spoilt_bytes(SEEDS[kind])))
    with refused_in_one_line():
        found = read_seeds(str(file))
        assert all(url.startswith("http") for url in found.positive)


RESPONSES = b"".join(
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.cn/%d\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n"
    b"WARC-Record-ID: <urn:uuid:%08d-0000-0000-0000-000000000000>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n"
    % (number, number, len(answer), answer)
    for number, answer in enumerate(
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nhome",
            b"HTTP/1.1 301 Moved\r\nLocation: /0\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwiki\r\n0\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(b"packed", mtime=0),
        )
    )
)


ARC = b"filedesc://a.arc 0.0.0.0 20040305000000 text/plain 9\n1 0 test\n\n" + b"".join(
    b"http://a.cn/%d 127.0.0.1 20040305000000 text/html %d\n%b\n" % (number, len(answer), answer)
    for number, answer in enumerate(
        (b"HTTP/1.0 200 OK\r\n\r\nhome", b"HTTP/1.0 301 Moved\r\nLocation: /0\r\n\r\n")
    )
)


@pytest.mark.parametrize(
    "content",
    [RESPONSES, gzip.compress(RESPONSES), RESPONSES.replace(b"WARC-T", b"Warc-T"), ARC, gzip.compress(ARC)],
    ids=["warc", "gzip", "odd case", "arc", "arc gzip"],
)
@FUZZ
@given(data=st.data())
def test_recorded_webs(place: Path, content: bytes, data: st.DataObject) -> None:
    file = place / "web.warc"
    file.write_bytes(data.draw(spoilt_bytes(content)))
    with refused_in_one_line():
        web = RecordedWeb([file])
        for url in [*web.urls(), "http://a.cn/3", "http://a.cn/1"]:
            web.find(url)
            web.response(url)
