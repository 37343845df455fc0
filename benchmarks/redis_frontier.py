"""Speed and memory of the frontier in Redis: one worker, a server of its own on this machine, or a Redis Cluster.

    python benchmarks/redis_frontier.py [--urls 200000] [--hosts 5000] [--nodes 0] [--json]

    push          URLs a second, new ones, 200 a page and a commit a page, until the server has them all
    ask           what is known of them, by another worker that has not met them: what a link costs that many pages have
    raise         the same URLs with larger scores
    lease         leases a second that are ended again, a commit after 16
    server        the same per second of the server's CPU, of a cluster of the busiest node's; caller: of this process's
    fed           one server only: the same calls once more, by the wall, made before and sent by a client that does nothing else, FED_AT_ONCE on their
                  way: what several workers can have of the server together
    waiting       share of the time that the caller stood still for the server, for each of the four
    queue bytes   a waiting URL's place in the queue of its host, of which the tail of a long one is packed
    index bytes   what is known of a URL met (state, number, score, anchors), whatever its state
    row bytes     its record: link, anchor, context, shares

--nodes makes a cluster of so many servers; 0 = one server without. The URLs and scores are drawn; a link has an anchor and a context of Chinese. Needs a redis-server or valkey-server in PATH, else
it says so and measures nothing. docs/scaling.md has the table for a million URLs.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import _checkout  # noqa: F401 first: the package may not be installed

from topiccrawler.cluster.redis.client import Client, clients_of
from topiccrawler.cluster.redis.frontier import RedisFrontier
from topiccrawler.cluster.redis.joining import join
from topiccrawler.cluster.redis.partitions import PartitionedFrontier
from topiccrawler.cluster.redis.records import script
from topiccrawler.frontier.base import State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.model import Link, Score

LINKS_A_PAGE, LEASES_A_COMMIT = 200, 16
LEASES = 50_000
FED_AT_ONCE = 4  # calls
ANCHOR, CONTEXT = "基金净值上涨", "股票市场成交量放大，投资者关注银行理财收益"
SERVER = shutil.which("redis-server") or shutil.which("valkey-server")
CLI = shutil.which("redis-cli") or shutil.which("valkey-cli")
Frontiers = RedisFrontier | PartitionedFrontier


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


def fed(url: str, client: Any, recorder: Recorder, counts: Mapping[str, int]) -> dict[str, int]:
    """Units a second of each phase, all calls made once more on an empty server."""
    client.flushall()
    prefix = join(Client(url, "benchmark")).client.prefix  # as the same worker
    names = {name for calls in recorder.calls.values() for name, _ in calls}
    digests = {name: client.script_load(script(name)) for name in names}
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

    def __init__(self, frontier: Frontiers, servers: Sequence[Any]) -> None:
        self._frontier, self._servers = frontier, servers

    def of(self, count: int, work: Callable[[], object]) -> dict[str, float]:
        """Units a second, by the wall and by the server's CPU, and the share of the wall that was waited."""
        waited, cpu, begun, own = self._waited(), self._cpu(), time.perf_counter(), time.process_time()
        work()
        seconds = time.perf_counter() - begun
        self._frontier.look().counts()  # answered when all before is done
        whole, own = time.perf_counter() - begun, time.process_time() - own
        spent = max(after - before for before, after in zip(cpu, self._cpu(), strict=True))
        share = (self._waited() - waited) / seconds
        return {
            "per_second": round(count / whole),
            "per_server_second": round(count / max(spent, 1e-9)),
            "per_caller_second": round(count / own),
            "waiting": round(share, 3),
        }

    def _waited(self) -> float:
        return self._frontier.figures()["wait_seconds"]

    def _cpu(self) -> list[float]:
        infos = [server.info("cpu") for server in self._servers]
        return [
            float(info["used_cpu_user_main_thread"]) + float(info["used_cpu_sys_main_thread"])
            for info in infos
        ]


def push(frontier: Frontiers, urls: int, hosts: int, raised: float) -> None:
    for rows in pages(urls, hosts, raised):
        frontier.push(rows, now=0.0)
        frontier.commit()


def opened(clients: Sequence[Client], hosts: Hosts, **options: Any) -> Frontiers:
    """As view.open_shared does."""
    parts = [RedisFrontier(join(client), hosts, partitions=len(clients), **options) for client in clients]
    return PartitionedFrontier(parts) if len(parts) > 1 else parts[0]


def ask(url: str, servers: Sequence[Any], urls: int, hosts: int) -> dict[str, float]:
    """As push does before it pushes."""
    with opened(clients_of(url, "benchmark"), Hosts(), most_hosts=1) as other:

        def look() -> None:
            for rows in pages(urls, hosts, 0.0):
                other.look_up(link.url for link, _ in rows)
                other.commit()

        return Meter(other, servers).of(urls, look)


def lease(frontier: Frontiers, count: int) -> int:
    """Returns how many there were."""
    for done in range(count):
        while (leased := frontier.lease(0.0)) is None:
            if not frontier.pending():
                return done
            time.sleep(0.0002)  # more of its queue is on the way
        frontier.end(leased.link.url, State.COMPLETED, "kept", 0.0)
    return count


def memory(servers: Sequence[Any], pattern: str) -> int:
    """Bytes of all keys of this form, as the servers count them."""
    found = 0
    for server in servers:
        keys = list(server.scan_iter(pattern, count=1000))
        with server.pipeline(transaction=False) as asked:
            for key in keys:
                asked.execute_command("MEMORY", "USAGE", key, "SAMPLES", 0)
            found += int(sum(asked.execute()))
    return found


def measure(url: str, servers: Sequence[Any], urls: int, hosts: int) -> dict[str, Any]:
    clients = clients_of(url, "benchmark")
    recorder = Recorder(clients[0])
    with opened(clients, Hosts(), most_hosts=hosts, acknowledgements_per_commit=LEASES_A_COMMIT) as frontier:
        meter = Meter(frontier, servers)
        count = min(LEASES, urls)
        found: dict[str, Any] = {}

        def measured(phase: str, units: int, work: Callable[[], object]) -> None:
            recorder.phase = phase
            found[phase] = meter.of(units, work)
            recorder.phase = f"after {phase}"

        measured("push", urls, lambda: push(frontier, urls, hosts, 0.0))
        found["ask"] = ask(url, servers, urls, hosts)
        measured("raise", urls, lambda: push(frontier, urls, hosts, 1.0))
        kinds = {"queue_bytes": "qtc", "index_bytes": "i", "row_bytes": "r"}
        for name, keys in kinds.items():
            found[name] = round(
                sum(memory(servers, f"topiccrawler:{{benchmark*}}:{key}:*") for key in keys) / urls, 1
            )
        found["all_bytes"] = round(sum(server.info("memory")["used_memory"] for server in servers) / urls, 1)
        measured("lease", count, lambda: lease(frontier, count))
    if len(clients) == 1:
        found["fed"] = fed(url, servers[0], recorder, {"push": urls, "raise": urls, "lease": count})
    return {"urls": urls, "hosts": hosts, **found}


def served(folder: str, *more: str) -> tuple[subprocess.Popen[bytes], str]:
    """A server with an append-only file, as a crawl should have it."""
    path = f"{folder}/s"
    options = ["--port", "0", "--unixsocket", path, "--dir", folder, "--save", "", "--appendonly", "yes"]
    process = subprocess.Popen([str(SERVER), *options, "--logfile", f"{folder}/log", *more])
    while not Path(path).exists():
        time.sleep(0.02)
    return process, path


class Servers:
    """A server, or a Redis Cluster of so many nodes on free ports of loopback. `url`: for REDIS_URL."""

    def __init__(self, folder: str, nodes: int) -> None:
        self.folders = [f"{folder}/{number}" for number in range(max(1, nodes))]
        for one in self.folders:
            Path(one).mkdir()
        ports = free_ports(2 * nodes)
        self._options = [
            ["--bind", "127.0.0.1", "--port", str(port), "--cluster-enabled", "yes", "--cluster-port", str(bus),
             "--cluster-node-timeout", "2000", "--cluster-require-full-coverage", "no"]
            for port, bus in zip(ports[:nodes], ports[nodes:], strict=True)
        ] or [[]]  # fmt: skip
        started = [served(one, *more) for one, more in zip(self.folders, self._options, strict=True)]
        self._processes, self.sockets = map(list, zip(*started, strict=True))
        self.url = f"redis://127.0.0.1:{ports[0]}" if nodes else f"unix://{self.sockets[0]}"
        if nodes:
            addresses = [f"127.0.0.1:{port}" for port in ports[:nodes]]
            words = ["--cluster", "create", *addresses, "--cluster-replicas", "0", "--cluster-yes"]
            subprocess.run([str(CLI), *words], check=True, stdout=subprocess.DEVNULL)
        while nodes and not all(one.cluster("INFO")["cluster_state"] == "ok" for one in self.clients()):
            time.sleep(0.05)

    def clients(self) -> list[Any]:
        """Of each."""
        import redis

        return [redis.Redis(unix_socket_path=path) for path in self.sockets]

    def kill(self, number: int) -> None:
        self._processes[number].kill()
        self._processes[number].wait()

    def start(self, number: int) -> None:
        """The one that was killed."""
        Path(self.sockets[number]).unlink(missing_ok=True)
        self._processes[number], _ = served(self.folders[number], *self._options[number])

    def stop(self) -> None:
        for number in range(len(self._processes)):
            self.kill(number)


def free_ports(count: int) -> list[int]:
    """That nobody has just now."""
    with ExitStack() as open_now:
        found = [open_now.enter_context(socket.socket()) for _ in range(count)]
        for one in found:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in found]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--urls", type=int, default=200_000)
    parser.add_argument("--hosts", type=int, default=5_000)
    parser.add_argument("--nodes", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if SERVER is None:
        print("no redis-server and no valkey-server in PATH: nothing is measured")
        return
    with tempfile.TemporaryDirectory(prefix="redis") as folder:
        servers = Servers(folder, args.nodes)
        try:
            found = measure(servers.url, servers.clients(), args.urls, args.hosts)
        finally:
            servers.stop()
    if args.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        shown = ", ".join(f"{key} {one}" for key, one in value.items()) if isinstance(value, dict) else value
        print(f"{name:<12} {shown}")


if __name__ == "__main__":
    main()
