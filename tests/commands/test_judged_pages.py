"""What the answers and the judging say by the command line: unknown URLs are named, and both meanings of a word are asked about."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from two_meanings import BASKETBALL, SPACE, job_of, texts_of

from topiccrawler.crawling.teaching import answered

ROCKETS, GAMES = 12, 9
UNKNOWN = "http://nowhere.example/寻"


@pytest.fixture
def job(make_job: Callable[..., Path]) -> Path:
    """A job that has kept pages about rockets, then about a team of this name."""
    texts = texts_of(SPACE, ROCKETS) + texts_of(BASKETBALL, GAMES)
    return job_of(make_job, [f"火箭，{text}火箭的消息。" for text in texts])


def answers_in(place: Path, **answers: str) -> str:
    rows = [["url", "answer"], *([url, answer] for url, answer in answers.items())]
    with place.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return str(place)


def test_an_unknown_url_in_an_answers_file_is_named_and_the_others_are_learned(
    job: Path, command: Callable[..., Any], tmp_path: Path
) -> None:
    page = f"http://a.cn/{ROCKETS}"
    file = answers_in(tmp_path / "answers.csv", **{page: "n", UNKNOWN: "n"})
    ran = command("topics", "teach", str(job), "--answers", file)
    assert ran.code == 0
    assert f"no pages of this job, so not learned from: {UNKNOWN}" in ran.out
    assert answered(job) == {page: False}
    assert json.loads(command("topics", "teach", str(job), "--answers", file, "--json").out)["unknown"] == [
        UNKNOWN
    ]
    for words in (("topics", "teach", str(job), "--answers", answers_in(tmp_path / "2.csv", **{UNKNOWN: "y"})),
                  ("pages", str(job), "yes", UNKNOWN)):  # fmt: skip
        ran = command(*words)
        assert ran.code == 1
        assert UNKNOWN in ran.err
        assert ran.err.count("\n") == 1


def test_the_first_questions_are_about_a_sure_page_of_each_meaning(
    job: Path, command: Callable[..., Any], tmp_path: Path
) -> None:
    place = tmp_path / "questions.csv"
    assert command("topics", "teach", str(job), "--write-questions", str(place), "--questions", "4").code == 0
    with place.open(encoding="utf-8-sig", newline="") as file:
        numbers = [int(row["url"].rpartition("/")[2]) for row in csv.DictReader(file)]
    assert sorted(number < ROCKETS for number in numbers[:2]) == [False, True]
    assert len(set(numbers)) == 4


def test_a_judged_job_says_what_has_changed(job: Path, command: Callable[..., Any]) -> None:
    assert command("pages", str(job), "judge").out.startswith(f"of {ROCKETS + GAMES} pages ")
    games = [f"http://a.cn/{ROCKETS + at}" for at in range(4)]
    ran = command("pages", str(job), "no", *games)
    assert f"{GAMES} of them left the results" in ran.out
    ran = command("pages", str(job), "yes", games[0])
    assert "are kept again" in ran.out
    apart = [
        json.loads(line)["url"] for line in command("pages", str(job), "--refused", "--json").out.splitlines()
    ]
    assert games[0] not in apart
    assert set(games[1:]) <= set(apart)
    shown = command("pages", str(job), "show", games[1]).out
    assert "not kept any more: relevance " in shown
    assert "judged again 20" in shown


@pytest.mark.parametrize(
    ("words", "code", "fault"),
    [
        (["no"], 2, "give the URLs of pages"),
        (["judge", "http://a.cn/1"], 2, "give one JOB"),
        (["judge", "--topic", "nosuch"], 1, "nosuch"),
        (["no", "http://a.cn/1", "--job", "rockets"], 2, "give JOB, not --job"),
    ],
)
def test_wrong_words_are_refused(
    job: Path, command: Callable[..., Any], words: list[str], code: int, fault: str
) -> None:
    named = [] if "--job" in words else [str(job)]
    ran = command("pages", *named, *words)
    assert ran.code == code
    assert fault in ran.err
