"""A Redis Cluster of real nodes on loopback, of which tests may kill one and start it again."""

import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Self

import pytest
import redis
from redis_server import PATIENCE_SECONDS, RedisServer, ServerEndedError

CLI = shutil.which("redis-cli") or shutil.which("valkey-cli")
NODES = 3
ATTEMPTS = 5


def free_ports(count: int) -> list[int]:
    """That nobody has just now."""
    with ExitStack() as open_now:
        found = [open_now.enter_context(socket.socket()) for _ in range(count)]
        for one in found:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in found]


def wait_for(what: Callable[[], bool]) -> None:
    """Nodes hear of each other now and then."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)


def node_at(port: int, bus: int) -> RedisServer:
    """Of no cluster yet."""
    return RedisServer(
        "--bind", "127.0.0.1", "--port", str(port), "--cluster-enabled", "yes", "--cluster-port", str(bus),
        "--cluster-node-timeout", "2000", "--cluster-require-full-coverage", "no",
    )  # fmt: skip


class RedisNodes:
    """Three primaries without replicas. While one is away the others go on."""

    def __init__(self) -> None:
        if CLI is None:
            pytest.skip("no redis-cli is installed (.ci/run installs Debian's)")
        self.ports: list[int] = []
        self.nodes: list[RedisServer] = []

    @property
    def url(self) -> str:
        """For REDIS_URL: of the first node."""
        return f"redis://127.0.0.1:{self.ports[0]}"

    def start(self) -> Self:
        """Start them and make a cluster of them."""
        try:
            return self._started()
        except BaseException:
            self.stop()
            raise

    def _started(self) -> Self:
        for _ in range(NODES):
            self._start_node()
        addresses = [f"127.0.0.1:{port}" for port in self.ports]
        words = ["--cluster", "create", *addresses, "--cluster-replicas", "0", "--cluster-yes"]
        subprocess.run([str(CLI), *words], check=True, capture_output=True, timeout=4 * PATIENCE_SECONDS)
        wait_for(lambda: all(self._is_ready(node) for node in self.nodes))
        return self

    def client(self) -> redis.RedisCluster:
        """A client of the tests' own."""
        return redis.RedisCluster.from_url(self.url)

    def add_replica(self, number: int) -> None:
        """Of this node; it takes over when the node dies."""
        port, bus = self._start_node()
        with self.nodes[number].client() as primary, self.nodes[-1].client() as replica:
            primary.execute_command("CLUSTER MEET", "127.0.0.1", port, bus)
            name = primary.execute_command("CLUSTER MYID").decode()
            wait_for(lambda: name in repr(replica.execute_command("CLUSTER NODES")))
            replica.execute_command("CLUSTER REPLICATE", name)
            wait_for(lambda: replica.info("replication").get("master_link_status") == "up")

    def _start_node(self) -> tuple[int, int]:
        """One more, at ports that nobody had a moment ago; at others when they were lost since."""
        for _ in range(ATTEMPTS):
            port, bus = free_ports(2)
            node = node_at(port, bus)
            try:
                node.start()
            except ServerEndedError:
                node.stop()
                continue
            self.ports.append(port)
            self.nodes.append(node)
            return port, bus
        raise AssertionError(f"{ATTEMPTS} times in a row the ports were lost")

    def _is_ready(self, node: RedisServer) -> bool:
        with node.client() as client:
            info: Any = client.execute_command("CLUSTER INFO")
            return bool(info["cluster_state"] == "ok")

    def stop(self) -> None:
        """End them and forget what they held."""
        for node in self.nodes:
            node.stop()
