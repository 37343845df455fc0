"""Draws a blind sample of a job's pages, lets people rate it, and estimates the harvest rate of the crawl from their ratings.

`draw` makes a random `Sample`, which is the same for all raters of one random seed: a share of the kept pages, and as many of the discarded
pages whose text was stored. Both kinds are mixed, so that a rater cannot see the program's decision; each rater gets a different order.

`ask` puts the questions in a terminal. `write_questions` and `read_answers` use a CSV file, written by results.formats so that no
spreadsheet evaluates its cells.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from topiccrawler.crawling.page_stores import has_pages, logs_of, open_pages, open_sample, visits_of
from topiccrawler.errors import ArgumentError, StateError, file_faults
from topiccrawler.files import read_text, whole_file
from topiccrawler.results.formats import write_table
from topiccrawler.store.page_sample import PageSample
from topiccrawler.store.pages import PageRecord, Pages

MOST_BYTES = 50_000_000
FIRST_CHARACTERS = 240
COLUMNS = ("url", "title", "text", "answer")
YES = frozenset({"y", "yes", "1", "true", "是", "对", "有"})
NO = frozenset({"n", "no", "0", "false", "否", "不", "不是", "无"})
SKIP = frozenset({"", "s", "skip", "?", "跳过"})
QUIT = frozenset({"q", "quit", "退出"})


@dataclass(frozen=True, slots=True)
class Question:
    """A page that a person is asked about. `note`: the program's own opinion, empty in a blind rating."""

    url: str
    title: str
    text: str  # the beginning of the page's text
    note: str = ""

    @classmethod
    def of(cls, record: PageRecord, note: str = "") -> Question:
        """The question about a stored page."""
        text = " ".join(record.text.split())
        return cls(record.url, " ".join(record.title.split()), text[:FIRST_CHARACTERS], note)


@dataclass(frozen=True, slots=True)
class Answer:
    """A person's answer about a page; None if the page was skipped."""

    url: str
    answer: bool | None


def ask(
    asked: Iterable[Question], say: Callable[[str], None], reply: Callable[[str], str], first: int = 1
) -> Iterator[Answer]:
    """Ask about each page and yield the answers, until the end of the input or `q`. `first`: the number of the first question."""
    for number, question in enumerate(asked, first):
        note = f"  [{question.note}]" if question.note else ""
        lines = [f"\n{number}. {question.title or '(no title)'}{note}", f"   {question.url}"]
        say("\n".join([*lines, f"   {question.text}"] if question.text else lines))
        answer = "!"
        while answer not in YES | NO | SKIP | QUIT:
            try:
                answer = reply("   about the topic? [y/n/skip/quit] ").strip().lower()
            except EOFError:
                answer = "q"
        if answer in QUIT:
            return
        yield Answer(question.url, None if answer in SKIP else answer in YES)


def write_questions(place: Path, asked: Iterable[Question]) -> None:
    """Write the questions to a CSV file with an empty column `answer`."""
    _write(place, COLUMNS, ((one.url, one.title, one.text, "") for one in asked))


def write_answers(place: Path, answers: Mapping[str, bool]) -> None:
    """Write answers to a CSV file that `read_answers` can read."""
    rows = ((url, "y" if answer else "n") for url, answer in answers.items())
    _write(place, ("url", "answer"), rows)


def _write(place: Path, names: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with (
        file_faults(ArgumentError, place, "cannot be written", "name another file"),
        whole_file(place) as out,
    ):
        write_table((dict(zip(names, row, strict=True)) for row in rows), out, names)


def read_answers(place: Path) -> dict[str, bool]:
    """The answers of a filled-in CSV file by URL; rows without an answer are skipped. ArgumentError names a wrong row."""
    remedy = "give a CSV file with the columns url and answer (y or n)"
    text = read_text(place, MOST_BYTES, ArgumentError, str(place), remedy)
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)  # a spreadsheet writes that of its locale
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as failure:
        raise ArgumentError(str(place), f"is no CSV ({failure})", remedy) from None
    columns = [cell.strip().lower() for cell in rows[0]] if rows else []
    if not {"url", "answer"} <= set(columns):
        raise ArgumentError(str(place), "has no columns url and answer", remedy)
    url_at, answer_at = columns.index("url"), columns.index("answer")
    found: dict[str, bool] = {}
    for line, row in enumerate(rows[1:], 2):
        if len(row) <= max(url_at, answer_at):
            if any(row):
                raise ArgumentError(f"{place}, row {line}", "has too few columns", remedy)
            continue
        answer = row[answer_at].strip().lower()
        if answer in YES | NO:
            found[row[url_at].strip().removeprefix("'")] = answer in YES
        elif answer not in SKIP:
            raise ArgumentError(f"{place}, row {line}", f"answer {answer[:20]!r} is unknown", "write y or n")
    return found


PARTS = 10  # of the crawl, for the harvest curve
REMEDY = "name the folder of a job that has kept pages"


@dataclass(frozen=True, slots=True)
class Sample:
    """The pages that were drawn for rating."""

    kept: Sequence[PageRecord]
    discarded: Sequence[PageRecord]

    def questions(self, rater: int, seed: int) -> list[Question]:
        """The questions for one rater, in an order of their own and without the program's decisions."""
        asked = [Question.of(record) for record in (*self.kept, *self.discarded)]
        random.Random(f"{seed}:{rater}").shuffle(asked)
        return asked


def draw(folder: Path, share: float, seed: int = 0) -> Sample:
    """Draw a random share of the kept pages, and as many discarded pages; at least one of each kind that exists. Without kept pages, all
    discarded pages are drawn. ArgumentError for a job without pages."""
    kept = _records(open_pages(folder)) if has_pages(folder) else []
    discarded = _records(open_sample(folder))
    if not kept and not discarded:
        raise ArgumentError(f"job {folder}", "has no page to rate", REMEDY)
    count = max(1, round(share * len(kept))) if kept else len(discarded)
    generator = random.Random(seed)
    drawn = [generator.sample(records, min(count, len(records))) for records in (kept, discarded)]
    return Sample(*drawn)


def harvest_curve(folder: Path, sample: Sample, ratings: Mapping[str, bool]) -> list[tuple[int, float]]:
    """The number of pages fetched and the harvest rate up to that point, estimated from ratings, at each tenth of the crawl.

    The rate of each tenth is its share of kept pages times the rated precision of the kept pages, plus the same product for the discarded
    pages. For a kind that has no ratings in a tenth, the precision over the whole crawl is used.
    """
    if not logs_of(folder):
        raise StateError(f"crawl log of {folder}", "cannot be read: there is none", REMEDY)
    visits = [visit for visit in visits_of(folder) if visit.is_page]
    if not visits:
        return []
    kinds = [{record.url for record in records} for records in (sample.discarded, sample.kept)]
    overall = [_rate([ratings[url] for url in sorted(urls) if url in ratings], 0.0) for urls in kinds]
    size = -(-len(visits) // PARTS)
    found, relevant = [], 0.0
    for start in range(0, len(visits), size):
        part = visits[start : start + size]
        for stored in (False, True):
            of_kind = [visit for visit in part if visit.stored is stored]
            rated = [
                ratings[visit.url] for visit in of_kind if visit.url in ratings and visit.url in kinds[stored]
            ]
            relevant += len(of_kind) * _rate(rated, overall[stored])
        done = start + len(part)
        found.append((done, relevant / done))
    return found


def _rate(answers: Sequence[bool], otherwise: float) -> float:
    return sum(answers) / len(answers) if answers else otherwise


def _records(store: Pages | PageSample) -> list[PageRecord]:
    with closing(store):
        records = [record for record in store.records() if not (record.alias_of or record.refused)]
    return sorted(records, key=lambda record: record.url)
