"""Connects one crawl to its Redis server, or to the nodes of a Redis Cluster.

On a Redis Cluster a client has a connection of its own to the node that has the slot of its prefix, because it must know which node may
have lost writes. After a fault it asks the cluster for that node again. While a slot moves, its two nodes have a part of the keys each,
and no script may run on either. KEYS[1], the prefix, is not an existing key, so the node replies ASK: it counts as away until all keys
have moved.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from topiccrawler.cluster.redis.records import (
    Argument,
    check_address,
    partitions_of,
    prefix_of,
    redacted,
    script,
)
from topiccrawler.errors import ArgumentError, CrawlerError, StateError

OLDEST = (6, 2)


CONNECT_SECONDS = 5.0


ANSWER_SECONDS = 20.0  # a server that needs longer for a call counts as away


MISSING = "REDIS_URL needs the package redis"


class AwayError(Exception):
    """The server cannot be reached, or is not ready yet: the call may be repeated later."""


def clients_of(url: str, job: str) -> list[Client]:
    """The clients of a crawl: one, or on a cluster one for each partition. StateError when there is no such server, it denies access or
    is too old."""
    one = Client(url, job)
    one.check()
    if not one.is_clustered:
        return [one]
    one.close()
    cluster = _cluster(url, one.server)
    found = [Client(url, job, partition, cluster) for partition in partitions_of(job)]
    for client in found:
        client.check()
    return found


def _cluster(url: str, server: str) -> Any:
    """The cluster object of redis-py, which finds the node of a slot. It remembers all nodes, in case that of the address fails later."""
    from redis.cluster import RedisCluster
    from redis.exceptions import RedisClusterException, RedisError

    try:
        seconds = {"socket_timeout": CONNECT_SECONDS, "socket_connect_timeout": CONNECT_SECONDS}
        return RedisCluster.from_url(url, **seconds, protocol=2)
    except (RedisError, RedisClusterException, OSError) as error:
        remedy = "see what redis-cli --cluster check says of it"
        raise StateError(f"Redis Cluster {server}", f"cannot be used: {error}", remedy) from None


class Client:
    """A connection to the keys of one crawl, or of one partition on a cluster; for one thread. `cluster`: the object of redis-py."""

    def __init__(
        self,
        url: str,
        job: str,
        partition: int = 0,
        cluster: Any = None,
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        try:
            import redis
        except ImportError:
            remedy = "give the command: pip install redis hiredis"
            raise ArgumentError(MISSING, "which is not there", remedy) from None
        self.name = f"{redacted(url)} job {job}"
        self.prefix = prefix_of(job, partition)
        self.server = redacted(url)
        self.is_clustered = False  # the server is a node of a Redis Cluster; known after `check`
        self.is_durable = True  # the server has an append-only file, or does not report it
        self.connects = 0  # how often a connection was made
        self._url, self._cluster, self._answer_seconds = check_address(url), cluster, answer_seconds
        self._faults = faults = redis.exceptions
        self._passing = (
            faults.BusyLoadingError,
            faults.ConnectionError,
            faults.TimeoutError,
            faults.AskError,  # MovedError too
            faults.TryAgainError,
            faults.ClusterDownError,
            faults.RedisClusterException,
            OSError,
        )
        self._redis = self._opened()
        self._is_lost = cluster is not None  # the node to call is unknown
        self._digests: dict[str, str] = {}

    def check(self) -> None:
        """Test the connection. StateError when there is no such server, it denies access or is too old."""
        try:
            info: Any = self._call("INFO")
            self.is_clustered = bool(info.get("cluster_enabled", 0))
            if self._cluster is not None or not self.is_clustered:
                self.read("EXISTS", "recipe")  # it may be loading, or without a part of its cluster
        except AwayError as error:
            raise self.unreachable(error) from None
        self.is_durable = bool(info.get("aof_enabled", 1))
        version = str(info.get("redis_version", "0"))
        if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
            fault = f"is of version {version}"
            raise StateError(f"Redis {self.server}", fault, "it must be 6.2 or newer (Valkey alike)")

    def unreachable(self, error: AwayError) -> StateError:
        """The StateError for a caller that cannot wait until the server is back."""
        remedy = "start it, or give another REDIS_URL"
        return StateError(f"Redis {self.server}", f"cannot be reached: {error}", remedy)

    def run(self, name: str, arguments: Sequence[Argument]) -> Any:
        """Run a script and return its reply. AwayError when the server is away, StateError for a lasting fault."""
        if name not in self._digests:
            self._digests[name] = hashlib.sha1(script(name).encode()).hexdigest()  # noqa: S324 as Redis has it
        try:
            return self._call("EVALSHA", self._digests[name], 1, self.prefix, *arguments)
        except self._faults.NoScriptError:
            return self._call("EVAL", script(name), 1, self.prefix, *arguments)

    def read(self, command: str, name: str, *arguments: Argument) -> Any:
        """Run a command on one key of the crawl and return its reply."""
        return self._call(command, self.prefix + name, *arguments)

    def close(self) -> None:
        """Close the connection."""
        self._redis.close()

    def _opened(self, **node: Any) -> Any:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        try:
            opened = redis.Redis.from_url(
                self._url,
                socket_timeout=self._answer_seconds,
                socket_connect_timeout=min(CONNECT_SECONDS, self._answer_seconds),
                retry=Retry(NoBackoff(), 0),
                protocol=2,
                redis_connect_func=self._connected,
            )
        except ValueError as error:
            raise ArgumentError(f"REDIS_URL={self.server}", "cannot be read", str(error)) from None
        opened.connection_pool.connection_kwargs.update(node)
        return opened

    def _connected(self, connection: Any) -> None:
        self.connects += 1
        connection.on_connect()

    def _find(self) -> None:
        """Connect to the node that has the slot now: nodes fail and are replaced, slots move."""
        if self.connects:  # before the first connection the list of nodes is new
            self._cluster.nodes_manager.initialize()
        node = self._cluster.get_node_from_key(self.prefix)
        self.close()
        self._redis = self._opened(host=node.host, port=node.port)
        self.server = f"{redacted(self._url)} node {node.host}:{node.port}"
        self._is_lost = False

    def _call(self, *command: Argument) -> Any:
        faults = self._faults
        try:
            if self._is_lost:
                self._find()
            return self._redis.execute_command(*command)
        except faults.NoScriptError:
            raise
        except (faults.AuthenticationError, faults.NoPermissionError) as error:
            raise self._fault(f"refuses us: {error}", "check user and password in REDIS_URL") from None
        except self._passing as error:
            self._is_lost = self._cluster is not None
            raise AwayError(f"{type(error).__name__} {error}") from None
        except faults.ResponseError as error:
            if str(error).startswith("BUSY "):
                raise AwayError(str(error)) from None
            raise self._fault(f"answers {error}", "mend the server, then give the command again") from None

    def _fault(self, fault: str, remedy: str) -> CrawlerError:
        return StateError(f"Redis {self.server}", fault, remedy)
