"""What a kept page costs in a file of the job and in PostgreSQL: time, server's CPU, bytes; a server of its own on this machine.

    python benchmarks/page_stores.py [--pages 2000] [--known 100000] [--json]

Pages have 6.5 kB of Chinese text; the search index is filled as they are kept. Of each store, in milliseconds a page:

    put          until the page is durable; in PostgreSQL a thread waits for it, in a file the crawl does
    first_of     until it is known whether the text was met before, with --known fingerprints there
    caller       CPU of this process for both, segmenting for the index included
    server       CPU of the server's processes for both; of it that for first_of, in most of which no other process may look
    bytes        of the store a page: page, index, fingerprint

Needs PostgreSQL (apt-get install postgresql), else it says so and measures the file alone.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import _checkout

from topiccrawler.cluster.postgresql.session import Session
from topiccrawler.cluster.postgresql.stored_pages import PostgresPages
from topiccrawler.cluster.postgresql.writing import CrawlPages
from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.pages.site_repeats import BITS, Fingerprint
from topiccrawler.store.pages import PageRecord

sys.path.append(str(Path(_checkout.ROOT, "examples", "cluster")))
from servers import MissingError, Postgres

WORDS = [
    "基金",
    "股票",
    "市场",
    "成交量",
    "放大",
    "投资者",
    "关注",
    "银行",
    "理财",
    "收益",
    "证券",
    "公司",
    "业绩",
    "上涨",
    "下跌",
    "政策",
    "利率",
    "央行",
    "债券",
    "保险",
    "数据",
    "经济",
    "增长",
    "企业",
    "消费",
]
CHARACTERS = 2_200
Meter = dict[str, float]


def record(number: int) -> PageRecord:
    """One page; no text is another's."""
    draw = random.Random(number)
    text = "".join(draw.choices(WORDS, k=CHARACTERS // 2))
    return PageRecord(
        url=f"http://h{number % 500}.example/news/2024/{number}.html", title="".join(draw.choices(WORDS, k=6)), text=text, summary=text[:150],
        relevance=draw.random(), topic="finance", fetched=1.7e9 + number, status=200, source_url=f"http://h{number % 500}.example/list/", anchor=text[:12],
    )  # fmt: skip


def print_of(number: int) -> Fingerprint:
    draw = random.Random(-number - 1)
    return Fingerprint(draw.getrandbits(62), draw.randbytes(BITS // 8))


def timed(count: int, work: Callable[[int], object]) -> tuple[float, float]:
    """Milliseconds and CPU milliseconds a page."""
    wall, cpu = time.perf_counter(), time.process_time()
    for number in range(count):
        work(number)
    return 1000 * (time.perf_counter() - wall) / count, 1000 * (time.process_time() - cpu) / count


def in_file(pages: int, known: int, folder: Path) -> Meter:
    records, prints = drawn(pages)
    files = JobFiles(folder / "job", indexed=True)
    for number in range(known):
        files.duplicates.first_of(f"http://known.example/{number}", print_of(-number - 1))
    files.duplicates.commit()

    def put(number: int) -> None:
        files.keep(records[number])
        files.commit()

    first, first_cpu = timed(
        pages, lambda number: files.duplicates.first_of(records[number].url, prints[number])
    )
    kept, kept_cpu = timed(pages, put)
    files.close()
    size = sum(file.stat().st_size for file in files.folder.iterdir() if file.name != "duplicates.sqlite")
    return {"put": kept, "first_of": first, "caller": kept_cpu + first_cpu, "bytes": size / pages}


def in_postgresql(pages: int, known: int, folder: Path) -> Meter:
    folder.chmod(0o755)  # the server may run as another user
    records, prints = drawn(pages)
    server = Postgres(folder / "postgresql").start()
    url = server.url.replace("@", f":{server.password}@")
    crawl = CrawlPages(url, "benchmark", "finance")

    def look(number: int) -> None:
        crawl.first_of(records[number].url, prints[number], across_sites=True).result()

    try:
        fill(url, known)
        crawl.first_of(
            "http://a.example/", print_of(pages), across_sites=True
        ).result()  # reads what is known
        before = cpu_of(server)
        first, first_cpu = timed(pages, look)
        between = cpu_of(server)
        kept, kept_cpu = timed(pages, lambda number: crawl.keep(records[number]).result())
        after = cpu_of(server)
        with closing(PostgresPages(Session(url), "benchmark")) as store:
            asked = "SELECT pg_total_relation_size('topiccrawler.pages')"
            size = store.session.ask(lambda connection: connection.execute(asked).fetchone()[0])
        return {
            "put": kept,
            "first_of": first,
            "caller": kept_cpu + first_cpu,
            "server": 1000 * (after - before) / pages,
            "server_first_of": 1000 * (between - before) / pages,
            "bytes": size / pages,
        }
    finally:
        crawl.abandon()
        server.stop()


def drawn(pages: int) -> tuple[list[PageRecord], list[Fingerprint]]:
    return [record(number) for number in range(pages)], [print_of(number) for number in range(pages)]


def fill(url: str, known: int) -> None:
    """So many fingerprints, in one go."""
    with closing(PostgresPages(Session(url), "benchmark")) as store:

        def copy(connection: Any) -> None:
            job, to = (
                store.number(connection),
                "COPY topiccrawler.fingerprints (job, row, changed, key, url, digest, bits) FROM STDIN",
            )
            with connection.cursor().copy(to) as rows:
                for number in range(known):
                    key, print_ = number.to_bytes(16, "big"), print_of(-number - 1)
                    rows.write_row((job, number, number + 1, key, f"http://known.example/{number}", *print_))

        store.session.ask(copy)


def cpu_of(server: Postgres) -> float:
    """Seconds of all its processes, those that ended included."""
    main = int((server.folder / "data" / "postmaster.pid").read_text().split()[0])
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(stat.parent.name) == main:
            ticks += sum(map(int, fields[11:15]))
        elif int(fields[1]) == main:
            ticks += sum(map(int, fields[11:13]))
    return ticks / 100


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--known", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found: dict[str, Meter] = {}
    for name, measure in (("file", in_file), ("postgresql", in_postgresql)):
        with tempfile.TemporaryDirectory(prefix="pages") as folder:
            try:
                found[name] = {
                    key: round(value, 3)
                    for key, value in measure(given.pages, given.known, Path(folder)).items()
                }
            except MissingError as fault:
                print(f"{name}: {fault}")
    if given.json:
        print(json.dumps(found))
        return
    for name, meter in found.items():
        print(f"{name:<12} {', '.join(f'{key} {value}' for key, value in meter.items())}")


if __name__ == "__main__":
    main()
