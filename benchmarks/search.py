"""Search in many pages: time of a query, size of the index, and what indexing costs beside reading a page.

    python benchmarks/search.py [--pages 20000] [--queries 300] [--json]

The pages are generated: 500 to 1500 characters of Chinese words, as frequent as the segmenter's own dictionary says, among 200 hosts. They are stored and indexed as a crawl does it, sixty-four a transaction. The queries are what users type: one
word, two words, a phrase, of pages that exist, drawn so that common words are as frequent among them as in the texts; each is asked with ten
results, their texts read and the snippets made. Then the costs: CPU of reading a page (charset, HTML, main text, words,
classification), and of indexing it after that, in this run; a crawl spends twice the former at least (benchmarks/crawl.py).
The last line is JSON (alone with --json).
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import ClassVar

import _checkout  # noqa: F401 first: the package may not be installed
import jieba

from topiccrawler.crawling.job_files import INDEX, PAGES, JobFiles
from topiccrawler.pages.read import PageWords, Reader
from topiccrawler.results.search import make_query, search_job, segmenter_for
from topiccrawler.store.index import BATCH
from topiccrawler.store.pages import ALL, PageRecord
from topiccrawler.text.segmenter import PLAIN

SEED = 5
VOCABULARY = 30_000
HOSTS = 200
READ = 1_000  # pages of which the costs are measured
SENTENCE = 12  # words
RESULTS = 10


@dataclass(frozen=True, slots=True)
class Same:
    """A page classifier that costs next to nothing: what is measured is reading."""

    threshold: ClassVar[float] = 0.5
    reads_segments: ClassVar[bool] = False
    similarity_threshold: float = 0.5

    def similarity(self, words: PageWords) -> float:
        return 0.5

    def relevance(self, words: PageWords) -> float:
        return 0.5

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        return []


class Texts:
    """Draws words as texts have them."""

    def __init__(self, dice: random.Random) -> None:
        jieba.setLogLevel(logging.WARNING)
        jieba.initialize()
        known = [word for word in jieba.dt.FREQ if len(word) == 2 and "一" <= word[0] <= "龥"]
        self.words = sorted(known, key=lambda word: -jieba.dt.FREQ[word])[:VOCABULARY]
        self._weights = list(accumulate(jieba.dt.FREQ[word] for word in self.words))
        self._dice = dice

    def draw(self, number: int) -> list[str]:
        """So many words."""
        return self._dice.choices(self.words, cum_weights=self._weights, k=number)

    def sentences(self) -> list[str]:
        """The sentences of one page."""
        return ["".join(self.draw(SENTENCE)) for _ in range(self._dice.randint(500, 1500) // (2 * SENTENCE))]


def records(texts: Texts, dice: random.Random, pages: int) -> Iterator[PageRecord]:
    """Stored pages."""
    for number in range(pages):
        yield PageRecord(
            url=f"http://host{dice.randrange(HOSTS)}.example/{number}.html",
            title="".join(texts.draw(6)),
            text="。".join(texts.sentences()),
            topic="finance",
            relevance=dice.random(),
            fetched=1_700_000_000.0 + number,
        )


def queries(texts: Texts, asked: int) -> list[str]:
    """A third each: one word, two words, a phrase that some page has."""
    found = []
    for number in range(asked):
        first, second = texts.draw(2)
        found.append([first, f"{first} {second}", f'"{first}{second}"'][number % 3])
    return found


def times(folder: Path, asked: list[str]) -> tuple[list[float], list[float], int]:
    """Milliseconds of each query, of time and of CPU, its files opened and closed; and how many found something."""

    def ask(text: str) -> bool:
        return bool(search_job(folder, make_query(text, segmenter_for(text)), ALL, RESULTS, PLAIN))

    ask(asked[0])  # reads the file
    found, cpu, hits = [], [], 0
    for text in asked:
        began, used = time.perf_counter(), time.process_time()
        hits += ask(text)
        found.append(1000 * (time.perf_counter() - began))
        cpu.append(1000 * (time.process_time() - used))
    return found, cpu, hits


def costs(texts: Texts, folder: Path) -> tuple[float, float]:
    """CPU milliseconds a page: of reading it, and of what its index adds to storing it."""
    reader = Reader(Same())
    stores = [JobFiles(folder / name, indexed=name == "indexed") for name in ("plain", "indexed")]
    spent = {"read": 0.0, "plain": 0.0, "indexed": 0.0}
    for number in range(READ):
        url = f"http://host.example/{number}.html"
        links = "".join(f'<li><a href="/{number}/{n}">{word}</a>' for n, word in enumerate(texts.draw(100)))
        body = "".join(f"<p>{sentence}。" for sentence in texts.sentences())
        page = f"<meta charset=utf-8><title>{''.join(texts.draw(6))}</title><ul>{links}</ul><div>{body}</div>".encode()
        began = time.process_time()
        reading = reader.read(url, page, "utf-8")
        spent["read"] += time.process_time() - began
        record = PageRecord(url=url, title=reading.page.title, text=reading.main_text, fetched=float(number))
        for files in stores if number % 2 else reversed(stores):
            began = time.process_time()
            files.keep(record)
            files.commit()
            spent[files.folder.name] += time.process_time() - began
    for files in stores:
        began = time.process_time()
        files.close()
        spent[files.folder.name] += time.process_time() - began
    return 1000 * spent["read"] / READ, 1000 * (spent["indexed"] - spent["plain"]) / READ


def main() -> None:
    """Make the pages, ask, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    dice = random.Random(SEED)
    texts = Texts(dice)
    with tempfile.TemporaryDirectory() as place:
        read, index = costs(texts, Path(place))
        folder = Path(place) / "job"
        files = JobFiles(folder, indexed=True)
        characters, began = 0, time.perf_counter()
        for number, record in enumerate(records(texts, dice, options.pages)):
            characters += len(record.text)
            files.keep(record)
            if number % BATCH == 0:
                files.commit()
        files.close()
        filled = time.perf_counter() - began
        spent, cpu, hits = times(folder, queries(texts, options.queries))
        size = (folder / INDEX).stat().st_size
        store = (folder / PAGES).stat().st_size
    found = {
        "pages": options.pages,
        "characters_per_page": round(characters / options.pages),
        "index_bytes_per_page": round(size / options.pages),
        "store_bytes_per_page": round(store / options.pages),
        "fill_ms_per_page": round(1000 * filled / options.pages, 3),
        "query_ms_median": round(statistics.median(spent), 2),
        "query_ms_p95": round(statistics.quantiles(spent, n=20)[-1], 2),
        "query_cpu_ms_p95": round(statistics.quantiles(cpu, n=20)[-1], 2),  # on a busy machine
        "queries_with_results": f"{hits}/{options.queries}",
        "read_cpu_ms_per_page": round(read, 3),
        "index_cpu_ms_per_page": round(index, 3),
        "index_share_of_reading": round(index / read, 4),
    }
    if not options.json:
        for name, value in found.items():
            print(f"{name:26} {value}")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
