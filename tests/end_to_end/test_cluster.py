"""`make cluster`: servers and processes come up, go on after Ctrl-C, keep each page once, and leave nothing running."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType
from postgresql_server import program
from redis_server import SERVER

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CLUSTER = ROOT / "examples" / "cluster"
PAGES = 40  # of the second run
UNSEEN = 100  # pages that two processes may fetch before they hear of each other, a quarter of a second later, on a fast machine
PATIENCE = 300  # seconds


def begin(folder: Path, *more: str) -> subprocess.Popen[str]:
    """Two processes on the synthetic web."""
    options = ["--workers", "2", "--folder", str(folder), "-s", f"WARC_OUT={folder / 'web.warc.gz'}", *more]
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return subprocess.Popen(
        [sys.executable, str(CLUSTER / "run.py"), *options],
        cwd=folder.parent,
        env={**kept, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def pages_in(files: Sequence[Path]) -> Counter[str]:
    """What was answered with a page, by the records."""
    found: Counter[str] = Counter()
    for path in files:
        with path.open("rb") as file:
            kinds = WarcRecordType.response | WarcRecordType.revisit
            for record in ArchiveIterator(file, record_types=kinds):
                if record.http_headers.status_code == 200:
                    found[record.headers["WARC-Target-URI"]] += 1
    return Counter({url: count for url, count in found.items() if not url.endswith("/robots.txt")})


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that another user may enter: PostgreSQL does not run as root. Those of pytest are closed."""
    with tempfile.TemporaryDirectory(prefix="cluster") as made:
        Path(made).chmod(0o755)
        yield Path(made)


def test_a_cluster_crawls_goes_on_and_leaves_nothing_running(place: Path) -> None:
    if SERVER is None or program("initdb") is None:
        pytest.skip("no redis-server or no PostgreSQL is installed (.ci/run installs Debian's)")
    folder = place / "cluster"
    first = begin(folder)
    try:
        said = ""
        while not re.search(r"\b[1-9]\d* pages fetched", said):
            line = first.stdout.readline()
            assert line, f"{said}{first.communicate()}"
            said += line
        first.send_signal(signal.SIGINT)
        rest, faults = first.communicate(timeout=PATIENCE)
    finally:
        first.kill()
    assert first.returncode == 0, rest + faults
    assert re.search(r"^\d+ pages ", rest, re.MULTILINE)
    before = sum(pages_in(list(folder.glob("*.warc.gz"))).values())

    out, most = folder / "pages.csv", before + PAGES
    again = begin(folder, "--pages", str(most), "--out", str(out))
    reported, faults = again.communicate(timeout=PATIENCE)
    assert again.returncode == 0, reported + faults
    recorded = sorted(folder.glob("*.warc.gz"))
    fetched = pages_in(recorded)
    counted = int(re.findall(r"(\d+) pages fetched", reported)[-1])
    assert most <= counted <= sum(fetched.values()) <= most + UNSEEN
    assert counted > sum(fetched.values()) - before  # what the first run fetched counts
    assert set(fetched.values()) == {1}  # by one process, once, though the crawl was interrupted
    workers = [path for path in (folder / "data").iterdir() if path.is_dir()]
    names = {path.name.removeprefix("cluster-") for path in workers}
    assert len(workers) == 4
    writers = {re.sub(r"(_\d+)?\.warc\.gz", "", file.name.removeprefix("web-")) for file in recorded}
    assert len(writers) > 1
    assert writers <= names  # one may have been interrupted before its first page
    with out.open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len({row["url"] for row in rows}) > 5
    assert {row["url"] for row in rows} <= fetched.keys()
    assert len(re.findall(rf"\b{len(rows)} pages ", reported)) >= 2  # kept, and written
    password = (folder / "postgresql" / "password").read_text()
    assert password not in reported + faults + "".join(log.read_text() for log in folder.glob("*.log"))
    assert all(json.loads((path / "job.json").read_text())["store_job"] == "cluster" for path in workers)
    assert not (folder / "postgresql" / "data" / "postmaster.pid").exists()
    assert "bye bye" in (folder / "redis" / "log").read_text()[-200:]
