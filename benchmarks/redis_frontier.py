"""Speed and memory of the frontier in Redis: one worker, a server of its own on this machine.

    python benchmarks/redis_frontier.py [--urls 200000] [--hosts 5000] [--json]

    push          URLs a second, new ones, 200 a page and a commit a page, until the server has them all
    ask           what is known of them, by another worker that has not met them: what a link costs that many pages have
    raise         the same URLs with larger scores
    lease         leases a second that are ended again, a commit after 16
    server        the same per second of the server's CPU
    fed           the same calls once more, by the wall, made before and sent by a client that does nothing else, FED_AT_ONCE on their
                  way: what several workers can have of the server together
    waiting       share of the time that the caller stood still for the server, for each of the four
    queue bytes   a waiting URL's place in the queue of its host, of which the tail of a long one is packed
    index bytes   what is known of a URL met (state, number, score, anchors), whatever its state
    row bytes     its record: link, anchor, context, shares

The URLs and scores are drawn; a link has an anchor and a context of Chinese. Needs a redis-server or valkey-server in PATH, else
it says so and measures nothing. docs/scaling.md has the table for a million URLs.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import _checkout  # noqa: F401 first: the package may not be installed

from topiccrawler.cluster.redis.connection import Client
from topiccrawler.cluster.redis.frontier import RedisFrontier
from topiccrawler.cluster.redis.joining import join
from topiccrawler.cluster.redis.records import NAMES, prefix_of, script
from topiccrawler.frontier.base import State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.model import Link, Score

LINKS_A_PAGE, LEASES_A_COMMIT = 200, 16
LEASES = 50_000
FED_AT_ONCE = 4  # calls
ANCHOR, CONTEXT = "基金净值上涨", "股票市场成交量放大，投资者关注银行理财收益"
SERVER = shutil.which("redis-server") or shutil.which("valkey-server")


def pages(urls: int, hosts: int, raised: float) -> Iterator[list[tuple[Link, Score]]]:
    """So many URLs, a page's links at a time; each host has as many."""
    draw = random.Random(7)
    for first in range(0, urls, LINKS_A_PAGE):
        rows = []
        for number in range(first, min(urls, first + LINKS_A_PAGE)):
            host = f"h{number * 7919 % hosts}.example"
            url = f"http://{host}/news/2024/{number}.html"
            source = f"http://h{first % hosts}.example/list/{first}"
            link = Link(
                url, host, ANCHOR, CONTEXT, CONTEXT, position=number % 200, depth=3, source_url=source
            )
            rows.append((link, Score(url, draw.random() + raised)))
        yield rows


class Recorder:
    """Calls of a client by the phase in which they were made, to be made once more."""

    def __init__(self, client: Client) -> None:
        self.calls: dict[str, list[tuple[str, Sequence[Any]]]] = {}
        self.phase = "begin"
        self._run = client.run
        client.run = self._recorded  # type: ignore[method-assign]

    def _recorded(self, name: str, arguments: Sequence[Any]) -> Any:
        self.calls.setdefault(self.phase, []).append((name, list(arguments)))
        return self._run(name, arguments)


def fed(socket: str, client: Any, recorder: Recorder, counts: Mapping[str, int]) -> dict[str, int]:
    """Units a second of each phase, all calls made once more on an empty server."""
    client.flushall()
    prefix = join(Client(f"unix://{socket}", "benchmark")).client.prefix  # as the same worker
    digests = {name: client.script_load(script(name)) for name in NAMES}
    connection = client.connection_pool.get_connection()
    rates = {}
    for phase, calls in recorder.calls.items():
        sent = [connection.pack_command("EVALSHA", digests[name], 1, prefix, *rest) for name, rest in calls]
        begun = time.perf_counter()
        for number, parts in enumerate(sent):
            connection.send_packed_command(parts, check_health=False)
            if number >= FED_AT_ONCE:
                connection.read_response()
        for _ in range(min(len(sent), FED_AT_ONCE)):
            connection.read_response()
        if phase in counts:
            rates[phase] = round(counts[phase] / (time.perf_counter() - begun))
    client.connection_pool.release(connection)
    return rates


class Meter:
    """Times what a worker does, to the moment the server has it."""

    def __init__(self, frontier: RedisFrontier, client: Any) -> None:
        self._frontier, self._client = frontier, client

    def of(self, count: int, work: Callable[[], object]) -> dict[str, float]:
        """Units a second, by the wall and by the server's CPU, and the share of the wall that was waited."""
        waited, cpu, begun = self._waited(), self._cpu(), time.perf_counter()
        work()
        seconds = time.perf_counter() - begun
        self._frontier.look().counts()  # answered when all before is done
        whole, spent = time.perf_counter() - begun, self._cpu() - cpu
        share = (self._waited() - waited) / seconds
        return {
            "per_second": round(count / whole),
            "per_server_second": round(count / max(spent, 1e-9)),
            "waiting": round(share, 3),
        }

    def _waited(self) -> float:
        return self._frontier.figures()["wait_seconds"]

    def _cpu(self) -> float:
        info = self._client.info("cpu")
        return float(info["used_cpu_user_main_thread"]) + float(info["used_cpu_sys_main_thread"])


def push(frontier: RedisFrontier, urls: int, hosts: int, raised: float) -> None:
    for rows in pages(urls, hosts, raised):
        frontier.push(rows, now=0.0)
        frontier.commit()


def ask(socket: str, client: Any, urls: int, hosts: int) -> dict[str, float]:
    """As push does before it pushes."""
    place = join(Client(f"unix://{socket}", "benchmark"))
    with RedisFrontier(place, Hosts(), most_hosts=1) as other:

        def look() -> None:
            for rows in pages(urls, hosts, 0.0):
                other.look_up(link.url for link, _ in rows)
                other.commit()

        return Meter(other, client).of(urls, look)


def lease(frontier: RedisFrontier, count: int) -> int:
    """Returns how many there were."""
    for done in range(count):
        while (leased := frontier.lease(0.0)) is None:
            if not frontier.pending():
                return done
            time.sleep(0.0002)  # more of its queue is on the way
        frontier.end(leased.link.url, State.COMPLETED, "kept", 0.0)
    return count


def memory(client: Any, pattern: str) -> int:
    """Bytes of all keys of this form, as the server counts them."""
    keys = list(client.scan_iter(pattern, count=1000))
    with client.pipeline(transaction=False) as asked:
        for key in keys:
            asked.execute_command("MEMORY", "USAGE", key, "SAMPLES", 0)
        return int(sum(asked.execute()))


def measure(socket: str, urls: int, hosts: int) -> dict[str, Any]:
    import redis

    client = redis.Redis(unix_socket_path=socket)
    client.flushall()
    place = join(Client(f"unix://{socket}", "benchmark"))
    recorder = Recorder(place.client)
    clocks = Hosts()
    with RedisFrontier(
        place, clocks, most_hosts=hosts, acknowledgements_per_commit=LEASES_A_COMMIT
    ) as frontier:
        meter = Meter(frontier, client)
        count = min(LEASES, urls)
        found: dict[str, Any] = {}

        def measured(phase: str, units: int, work: Callable[[], object]) -> None:
            recorder.phase = phase
            found[phase] = meter.of(units, work)
            recorder.phase = f"after {phase}"

        measured("push", urls, lambda: push(frontier, urls, hosts, 0.0))
        found["ask"] = ask(socket, client, urls, hosts)
        measured("raise", urls, lambda: push(frontier, urls, hosts, 1.0))
        prefix = prefix_of("benchmark")
        kinds = {"queue_bytes": "qtc", "index_bytes": "i", "row_bytes": "r"}
        for name, keys in kinds.items():
            found[name] = round(sum(memory(client, f"{prefix}{key}:*") for key in keys) / urls, 1)
        found["all_bytes"] = round(client.info("memory")["used_memory"] / urls, 1)
        measured("lease", count, lambda: lease(frontier, count))
    found["fed"] = fed(socket, client, recorder, {"push": urls, "raise": urls, "lease": count})
    return {"urls": urls, "hosts": hosts, **found}


def served(folder: str) -> tuple[subprocess.Popen[bytes], str]:
    """A server with an append-only file, as a crawl should have it."""
    socket = f"{folder}/s"
    options = ["--port", "0", "--unixsocket", socket, "--dir", folder, "--save", "", "--appendonly", "yes"]
    process = subprocess.Popen([str(SERVER), *options, "--logfile", f"{folder}/log"])
    while not Path(socket).exists():
        time.sleep(0.02)
    return process, socket


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--urls", type=int, default=200_000)
    parser.add_argument("--hosts", type=int, default=5_000)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if SERVER is None:
        print("no redis-server and no valkey-server in PATH: nothing is measured")
        return
    with tempfile.TemporaryDirectory(prefix="redis") as folder:
        process, socket = served(folder)
        try:
            found = measure(socket, args.urls, args.hosts)
        finally:
            process.kill()
            process.wait()
    if args.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        shown = ", ".join(f"{key} {one}" for key, one in value.items()) if isinstance(value, dict) else value
        print(f"{name:<12} {shown}")


if __name__ == "__main__":
    main()
