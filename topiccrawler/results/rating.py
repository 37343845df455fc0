"""A blind sample of a job's pages, rated by people in a terminal or in a CSV file, and what their ratings say of the crawl.

The sample is random, the same for all raters of one seed: a share of the kept pages, and as many of the discarded ones of which a text was
kept. They are mixed, so that nothing says what the program thinks; each rater gets another order.

The CSV is that of results.formats, which no spreadsheet runs.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from topiccrawler.crawling.job_files import DISCARDED, VISITS
from topiccrawler.crawling.page_stores import has_pages, logs_of, open_pages, visits_of
from topiccrawler.errors import ArgumentError, StateError, file_faults
from topiccrawler.files import read_text, whole_file
from topiccrawler.results.formats import write_table
from topiccrawler.store.pages import PageRecord, Pages, PageStore

MOST_BYTES = 50_000_000
FIRST_CHARACTERS = 240
COLUMNS = ("url", "title", "text", "answer")
YES = frozenset({"y", "yes", "1", "true", "是", "对", "有"})
NO = frozenset({"n", "no", "0", "false", "否", "不", "不是", "无"})
SKIP = frozenset({"", "s", "skip", "?", "跳过"})
QUIT = frozenset({"q", "quit", "退出"})


@dataclass(frozen=True, slots=True)
class Question:
    """A page a person is asked about; `note` is what the program thinks of it, empty in a blind rating."""

    url: str
    title: str
    text: str  # its first lines
    note: str = ""

    @classmethod
    def of(cls, record: PageRecord, note: str = "") -> Question:
        """About a stored page."""
        text = " ".join(record.text.split())
        return cls(record.url, " ".join(record.title.split()), text[:FIRST_CHARACTERS], note)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person said of a page; None: skipped."""

    url: str
    answer: bool | None


def ask(
    asked: Iterable[Question], say: Callable[[str], None], reply: Callable[[str], str], first: int = 1
) -> Iterator[Answer]:
    """One answer a page; the end of the input, or q, ends it. `first`: the number of the first question."""
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
    """A CSV file with an empty column `answer`."""
    _write(place, COLUMNS, ((one.url, one.title, one.text, "") for one in asked))


def write_answers(place: Path, answers: Mapping[str, bool]) -> None:
    """A file that `read_answers` reads again."""
    rows = ((url, "y" if answer else "n") for url, answer in answers.items())
    _write(place, ("url", "answer"), rows)


def _write(place: Path, names: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with (
        file_faults(ArgumentError, place, "cannot be written", "name another file"),
        whole_file(place) as out,
    ):
        write_table((dict(zip(names, row, strict=True)) for row in rows), out, names)


def read_answers(place: Path) -> dict[str, bool]:
    """URL -> answer, of a filled-in file; lines without an answer are passed over. ArgumentError names a wrong line."""
    remedy = "give a CSV file with the columns url and answer (y or n)"
    text = read_text(place, MOST_BYTES, ArgumentError, str(place), remedy)
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)  # a spreadsheet writes what its country has
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


PARTS = 10  # of the crawl, for the curve
REMEDY = "name the folder of a job that has kept pages"


@dataclass(frozen=True, slots=True)
class Sample:
    """The pages drawn."""

    kept: Sequence[PageRecord]
    discarded: Sequence[PageRecord]

    def questions(self, rater: int, seed: int) -> list[Question]:
        """For one rater, in an order of their own; without what the program thinks."""
        asked = [Question.of(record) for record in (*self.kept, *self.discarded)]
        random.Random(f"{seed}:{rater}").shuffle(asked)
        return asked


def draw(folder: Path, share: float, seed: int = 0) -> Sample:
    """At least one page of each kind that there is."""
    kept = _records(open_pages(folder)) if has_pages(folder) else []
    sample = folder / DISCARDED
    discarded = _records(PageStore(sample, create=False)) if sample.is_file() else []
    if not kept and not discarded:
        raise ArgumentError(f"job {folder}", "has no page to rate", REMEDY)
    count = max(1, round(share * len(kept))) if kept else len(discarded)
    lot = random.Random(seed)
    drawn = [lot.sample(records, min(count, len(records))) for records in (kept, discarded)]
    return Sample(*drawn)


def harvest_curve(folder: Path, sample: Sample, ratings: Mapping[str, bool]) -> list[tuple[int, float]]:
    """Pages fetched and the harvest rate up to there as rated, at each tenth of the crawl.

    Each part's rate is its share of kept pages times the share of the rated kept ones that are about the topic, and the same of the discarded
    ones; where nothing of a part was rated, the share of the whole crawl is used.
    """
    if not logs_of(folder):
        raise StateError(str(folder / VISITS), "cannot be read: there is none", REMEDY)
    visits = [visit for visit in visits_of(folder) if 200 <= visit.status < 300]
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


def _records(store: Pages) -> list[PageRecord]:
    with closing(store):
        records = [record for record in store.records() if not record.alias_of]
    return sorted(records, key=lambda record: record.url)
