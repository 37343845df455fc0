"""Each wrong input ends with one line that names it, its fault and a remedy; exit status 1; nothing is fetched."""

import json
import re
from collections.abc import Callable
from errno import EEXIST, EISDIR
from os import strerror
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.crawling.checkpoints import LEARNED_NOTE
from topiccrawler.crawling.job_files import write_recipe
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.zstandard import compress

CASES = {
    "unknown topic": ({"topic": "finanse"}, r"topic 'finanse': .*\bfinance\?"),
    "no topic": ({"topic": None}, "argument 'topic': .* -a topic=finance"),
    "unknown strategy": ({"strategy": "best_frist"}, "strategy 'best_frist': .* 'best_first'"),
    "unknown parameter": ({"strategy_x": "1"}, "strategy parameter 'x': best_first .*: none"),
    "unknown argument": ({"page": "3"}, r"argument -a page=3: .*\bpages\?.*: topic, seeds,"),
    "an argument's name nearly": ({"keyword": "基金"}, r"argument -a keyword=基金: .*\bkeywords\?"),
    "topic far from any": ({"topic": "docker"}, "'docker': is not in the catalogue; .* -a keywords="),
    "words of any text": ({"topic": None, "keywords": "the,of:0.5,和"}, "keywords the, of:0.5, 和: "),
    "pages is no number": ({"pages": "many"}, "argument -a pages=many: "),
    "seeds file is missing": ({"seeds": "no/such/file.txt"}, "no/such/file.txt"),
    "seed is no URL": ({"seeds": "http://ok.example/,ftp://bad.example/"}, "ftp://bad.example/"),
}


def given_by(case: str) -> dict[str, str]:
    """The arguments of a crawl with one slip in them."""
    arguments, _ = CASES[case]
    configured = {"topic": "finance", "seeds": "http://a.example/", "strategy": "best_first", **arguments}
    return {name: value for name, value in configured.items() if value is not None}


def test_the_process_prints_the_line_and_ends_with_a_failure(
    forked_scrapy: Callable[..., Any], tmp_path: Path
) -> None:
    words = [word for name, value in given_by("unknown topic").items() for word in ("-a", f"{name}={value}")]
    ran = forked_scrapy("crawl", "topic", *words, "-s", f"TOPIC_DATA_DIR={tmp_path}")
    assert ran.code == 1
    assert ran.out == ""
    assert re.match(CASES["unknown topic"][1], ran.err)
    assert ran.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", ["FORCE_CRAWLER_PROCESS=True", "TWISTED_REACTOR_ENABLED=False"])
def test_however_scrapy_runs_the_crawl_it_is_one_line(forked_scrapy: Callable[..., Any], mode: str) -> None:
    ran = forked_scrapy("crawl", "topic", "-a", "topic=finanse", "-s", "LOG_LEVEL=ERROR", "-s", mode)
    assert (ran.code, ran.out) == (1, "")
    assert re.match(CASES["unknown topic"][1], ran.err)
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("case", CASES)
def test_one_line_names_input_fault_and_remedy(
    refusal: Callable[..., str], capfd: pytest.CaptureFixture[str], tmp_path: Path, case: str
) -> None:
    said = refusal("topic", {"TOPIC_DATA_DIR": str(tmp_path)}, **given_by(case))
    assert re.search(CASES[case][1], said)
    assert "; " in said
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", [None, b"{", *(compress(text, 1) for text in (b"{", b'{"version": 99}', b"NaN"))]
)
def test_a_missing_or_damaged_model_is_one_line(
    refusal: Callable[..., str], tmp_path: Path, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / "finance.json.zst").write_bytes(content)
    settings = {"TOPIC_LINK_MODELS": str(tmp_path)}
    said = refusal("topic", settings, topic="finance", seeds="http://a.example/")
    assert "finance.json.zst" in said
    assert "scrapy train" in said


@pytest.mark.parametrize(
    ("page_classifier", "message"),
    [("svm", "scrapy train law"), ("centroid", " vsm, cosine, naive_bayes, svm")],
)
def test_a_page_classifier_that_is_not_there_is_one_line(
    refusal: Callable[..., str], page_classifier: str, message: str
) -> None:
    said = refusal("topic", {}, topic="law", page_classifier=page_classifier)
    assert message in said


def test_a_folder_that_cannot_be_made_is_one_line(refusal: Callable[..., str]) -> None:
    said = refusal("topic", {"JOBDIR": "/proc/none"}, topic="finance", seeds="http://a.example/")
    assert re.fullmatch("folder /proc/none: cannot be made: .*; make room or name another folder, .*", said)


def test_the_job_of_another_topic_is_one_line_also_without_seeds(
    refusal: Callable[..., str], make_job: Callable[..., Path]
) -> None:
    job = make_job("money")
    said = refusal("topic", {"JOBDIR": str(job)}, keywords="美食")
    assert said.startswith(f"folder {job}: holds a crawl for topic 'finance', not '美食'; ")


@pytest.mark.parametrize("name", ["job.sqlite", "job.json"])
def test_a_damaged_job_folder_is_one_line(refusal: Callable[..., str], tmp_path: Path, name: str) -> None:
    content = b"this is no database" * 100
    (tmp_path / name).write_bytes(content)
    arguments = {"topic": "finance", "strategy": "best_first", "seeds": "http://a.example/"}
    said = refusal("topic", {"JOBDIR": str(tmp_path)}, **arguments)
    assert name in said
    assert (tmp_path / name).read_bytes() == content


def test_a_job_whose_strategy_learned_other_features_is_one_line(
    refusal: Callable[..., str], tmp_path: Path
) -> None:
    state = {"features": ["bias", "luck"], "weights": [1.0, 2.0], "squares": [1.0, 1.0]}
    with SqliteFrontier(tmp_path / "job.sqlite") as frontier:
        frontier.notes.put(LEARNED_NOTE, json.dumps({"strategy": "adaptive", "pages": 3, "state": state}))
        frontier.commit()
    said = refusal("topic", {"JOBDIR": str(tmp_path)}, topic="finance", seeds="http://a.example/")
    assert re.fullmatch(r"the strategy's state: cannot be read \(.*bias, luck\); .*JOBDIR", said)


def test_a_file_of_the_job_that_cannot_be_written_is_one_line(
    refusal: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "job" / "job.sqlite").mkdir(parents=True)
    settings = {"TOPIC_DATA_DIR": str(tmp_path), "TOPIC_JOB": "job"}
    said = refusal("topic", settings, topic="finance", strategy="best_first", seeds="http://a.example/")
    assert "job.sqlite" in said


@pytest.mark.parametrize(
    ("topic", "strategy", "message"),
    [
        ("travel", "best_first", "'finance'.* 'travel'; .* -a topic=finance"),
        ("finance", "breadth_first", " -a strategy=best_first; "),
    ],
)
def test_another_topic_or_strategy_in_a_jobs_folder_is_one_line(
    refusal: Callable[..., str], tmp_path: Path, topic: str, strategy: str, message: str
) -> None:
    write_recipe(Recipe("finance", "best_first"), tmp_path)
    before = (tmp_path / "job.json").read_bytes()
    settings = {"JOBDIR": str(tmp_path)}
    said = refusal("topic", settings, topic=topic, strategy=strategy, seeds="http://a.example/")
    assert re.search(message, said)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("job.json", before)]


@pytest.mark.parametrize(
    ("feed", "message"),
    [
        ("{}/file/out.jsonl", strerror(EEXIST)),
        ("{}", strerror(EISDIR)),
        ("foo://out.jsonl", "foo: .* file, ftp"),
    ],
)
def test_a_feed_that_cannot_be_written_is_one_line(
    refusal: Callable[..., str], tmp_path: Path, feed: str, message: str
) -> None:
    (tmp_path / "file").touch()
    feeds = {feed.format(tmp_path): {"format": "jsonlines"}, f"{tmp_path}/new/%(time)s.jsonl": {}}
    settings = {"TOPIC_DATA_DIR": str(tmp_path), "FEEDS": feeds}
    said = refusal("topic", settings, topic="finance", strategy="best_first")
    assert re.search(message, said)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_an_unreadable_recorded_web_is_one_line_in_any_command(
    forked_scrapy: Callable[..., Any], tmp_path: Path
) -> None:
    settings = ("-s", f"REPLAY_WARC={tmp_path / 'none.warc.gz'}", "-s", "LOG_LEVEL=ERROR")
    ran = forked_scrapy("fetch", "http://a.example/", *settings)
    assert ran.code == 1
    assert "none.warc.gz" in ran.err
    assert ran.err.count("\n") == 1
