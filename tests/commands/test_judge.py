"""`scrapy judge` and `scrapy train --page-classifier` as users run them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.topics.catalogue import load_topic

PAGE = (
    "<html><head><title>沪深股市收盘</title></head><body><h1>沪深股市收盘</h1><div><p>"
    + "沪深两市今日高开低走，券商和银行股领跌，基金净值下跌，投资者情绪趋于谨慎。" * 5
    + "</p></div></body></html>"
)
ROWS = [
    {"label": label, "title": title, "text": text * 3, "url": f"http://h{n}.example/"}
    for n, (label, title, text) in enumerate(
        [
            ("财经", "股市收盘", "沪深两市券商和银行股领跌，基金净值下跌，消息说。"),
            ("sports", "足球比赛", "足球教练说比赛很精彩，篮球球员进球，消息说。"),
            ("travel", "旅游酒店", "旅游景点门票便宜，酒店机票预订方便，消息说。"),
        ]
        * 15
    )
]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    path = tmp_path / "documents.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")
    return path


def test_a_file_is_classified_with_score_threshold_and_words(
    forked_scrapy: Callable[..., Any], page: Path
) -> None:
    ran = forked_scrapy("judge", str(page), "--topic", "finance")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == page.as_uri()
    assert lines[1].split() == ["title", "沪深股市收盘"]
    assert re.search(r"evidence\b.* finance\)$", lines[3])
    similarity, even = re.fullmatch(
        r"similarity (\d\.\d{4}), by which its links are ordered; (\d\.\d{4}) is even odds", lines[4]
    ).groups()  # type: ignore[union-attr]
    assert re.match(r"relevance  0\.\d{4} >= 0\.5000: on topic", lines[3])
    assert float(even) == load_topic("finance").page_threshold
    assert any(line.endswith(" 券商") for line in lines[5:])
    found = json.loads(forked_scrapy("judge", str(page), "--topic", "finance", "--json").out)
    assert (f"{found['similarity']:.4f}", f"{found['similarity_threshold']:.4f}") == (similarity, even)
    assert (found["score"], found["threshold"]) == (found["relevance"], 0.5)
    assert lines[3].startswith(f"relevance  {found['relevance']:.4f}")
    assert sum(share for _, share in found["words"]) == pytest.approx(found["relevance"], abs=2e-3)


def test_of_own_words_those_that_judge_and_those_that_lead_are_apart(
    forked_scrapy: Callable[..., Any], tmp_path: Path
) -> None:
    topic, page = tmp_path / "exams.toml", tmp_path / "page.html"
    topic.write_text('name = "exams"\nkeywords = ["考研", "高考", "志愿"]\n', encoding="utf-8")
    text = "高考成绩公布，考生填报志愿，大学招生，教育部要求做好考研复试工作，教学和留学政策不变。"
    page.write_text(f"<title>高考志愿</title><p>{text}</p>", encoding="utf-8")
    found = json.loads(forked_scrapy("judge", str(page), "--topic", str(topic), "--json").out)
    assert {word for word, _ in found["words"][:2]} == {"高考", "志愿"}
    leading = dict(found["leading"])
    assert {"教学", "留学"} <= leading.keys()  # of the parent topic: they carry no relevance
    assert not {"考研", "高考", "志愿"} & leading.keys()
    assert 0.0 < sum(leading.values()) < found["similarity"]
    text_lines = forked_scrapy("judge", str(page), "--topic", str(topic)).out.splitlines()
    assert [line.split()[1] for line in text_lines[-len(leading) :]] == list(leading)


def test_a_url_is_fetched_as_a_crawl_would(
    forked_scrapy: Callable[..., Any], draw_web: Callable[..., Any]
) -> None:
    web = draw_web({"http://a.example/p": PAGE})
    ran = forked_scrapy("judge", "http://a.example/p", "--topic", "travel", "--json", proxy=web.proxy)
    found = json.loads(ran.out)
    assert (ran.code, found["url"], found["topic"], found["on_topic"]) == (
        0, "http://a.example/p", "travel", False,
    )  # fmt: skip
    assert found["title"] == "沪深股市收盘"
    assert web.fetched() == ["http://a.example/p"]
    gone = forked_scrapy("judge", "http://a.example/gone", "--topic", "travel", proxy=web.proxy)
    assert (gone.code, gone.out) == (1, "")
    assert "answers 404" in gone.err


@pytest.mark.slow
@pytest.mark.parametrize("page_classifier", ["vsm", "naive_bayes", "svm"])
def test_a_page_classifier_is_trained_saved_and_used(
    command: Callable[..., Any],
    forked_scrapy: Callable[..., Any],
    documents: Path,
    page: Path,
    tmp_path: Path,
    page_classifier: str,
) -> None:
    out = tmp_path / "models"
    ran = command(
        "train",
        "finance",
        "--page-classifier",
        page_classifier,
        "--documents",
        str(documents),
        "--out",
        str(out),
        "--json",
    )
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    place = out / "page_classifiers" / f"finance.{page_classifier}.json"
    assert (found["model"], found["page_classifier"], found["training"]["samples"]) == (
        str(place),
        page_classifier,
        45,
    )
    assert found["scores"]["held out"]["f1"] >= 0.9
    assert found["training"]["files"][0]["file"] == "documents.jsonl"
    ran = forked_scrapy(
        "judge",
        str(page),
        "--topic",
        "finance",
        "--page-classifier",
        page_classifier,
        "--json",
        "-s",
        f"TOPIC_PAGE_CLASSIFIER_MODELS={out}",
    )
    shown = json.loads(ran.out)
    assert shown["threshold"] == 0.5
    assert shown["similarity_threshold"] == pytest.approx(found["threshold"], abs=1e-4)
    assert shown["on_topic"]
    assert shown["words"][0][1] >= shown["words"][-1][1]


@pytest.mark.slow
@pytest.mark.parametrize("page_classifier", ["vsm", "naive_bayes"])
def test_a_page_classifier_that_does_better_stays_unless_forced(
    command: Callable[..., Any], tmp_path: Path, page_classifier: str
) -> None:
    train = ("train", "finance", "--page-classifier", page_classifier, "--out", str(tmp_path), "--documents")
    clean, wrong = tmp_path / "clean.jsonl", tmp_path / "wrong.jsonl"
    for path, labels in ((clean, ["sports"] * 4 + ["财经"] * 4), (wrong, ["sports"] * 4 + ["财经"] * 3)):
        rows = [{"title": "", "text": ROWS[0]["text"] * (n % 8) + ROWS[1]["text"] * (7 - n % 8),
                 "label": [*labels, "sports" if n % 16 == 7 else "财经"][n % 8]}
                for n in range(48)]  # fmt: skip
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert command(*train, str(clean)).code == 0
    place = tmp_path / "page_classifiers" / f"finance.{page_classifier}.json"
    before = place.read_bytes()
    ran = command(*train, str(wrong), "--precision", "1")
    assert (ran.code, ran.err.count("\n"), ran.out) == (1, 1, "")
    assert f"{place}: " in ran.err
    assert len(re.findall(r"\b0\.\d{4}\b|\b1\.0000\b", ran.err)) == 2
    assert [file.name for file in place.parent.iterdir()] == [place.name]
    assert place.read_bytes() == before
    ran = command(*train, str(wrong), "--precision", "1", "--force")
    assert (ran.code, ran.err) == (0, "")
    assert f"{place}.old" in ran.out
    assert place.with_name(f"{place.name}.old").read_bytes() == before


def test_detail_needs_no_topic(forked_scrapy: Callable[..., Any], page: Path) -> None:
    found = json.loads(forked_scrapy("judge", str(page), "--page-classifier", "detail", "--json").out)
    assert found["kind"] == "detail"
    assert [name for name, _ in found["words"]] == ["TextDegree", "LinkDegree", "Aggregation"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["judge"], 2, r"URL .*\b0$"),
        (["judge", "/no/such/file", "--topic", "finance"], 1, "/no/such/file: "),
        (["judge", "ftp://x/", "--topic", "finance"], 1, "^ftp://x/: .* http://host/path"),
        (["judge", "/dev/null"], 1, "--topic: "),
        (["judge", "/dev/null", "--topic", "nope"], 1, "topic 'nope': "),
        (
            ["judge", "/dev/null", "--topic", "finance", "--page-classifier", "tarot"],
            1,
            "tarot.* vsm, cosine, naive_bayes",
        ),
        (
            ["judge", "/dev/null", "--topic", "law", "--page-classifier", "svm"],
            1,
            "scrapy train law --page-classifier svm",
        ),
        (
            ["train", "finance", "--page-classifier", "tarot"],
            1,
            "tarot.* vsm, naive_bayes, svm",
        ),
        (["train", "finance", "--page-classifier", "svm"], 1, "add --documents FILE"),
        (["train", "finance", "--page-classifier", "svm", "--precision", "2"], 2, r"2\.0.* 0\.01 .*\b1\b"),
        (
            ["train", "finance", "--page-classifier", "svm", "--documents", "/dev/null"],
            1,
            r"\b12\b",
        ),
        (
            ["train", "finance", "--page-classifier", "detail"],
            1,
            "detail.* topiccrawler.lab.training.detail_model",
        ),
        (["crawl", "topic", "-a", "topic=law", "-a", "page_classifier=svm"], 1, "scrapy train law"),
        (
            ["crawl", "topic", "-a", "topic=law", "-a", "page_classifier=tarot"],
            1,
            "tarot.* vsm, cosine, naive_bayes",
        ),
    ],
)
def test_what_is_wrong_is_refused_in_one_line(
    command: Callable[..., Any],
    forked_scrapy: Callable[..., Any],
    tmp_path: Path,
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    more = ("-s", f"TOPIC_DATA_DIR={tmp_path}") if arguments[:1] == ["crawl"] else ()
    ran = (command if arguments[:1] == ["train"] else forked_scrapy)(*arguments, *more)
    assert ran.code == code
    assert re.search(message, (ran.err or ran.out).strip().splitlines()[-1])
    assert "Traceback" not in ran.err
