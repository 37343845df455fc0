"""A crawl on a Redis Cluster of three real nodes: where its keys lie, and what becomes of it when a node dies or a slot moves."""

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
import redis
from frontier_calls import drain, lease, push, states, until
from redis.crc import key_slot
from redis_cluster import NODES, RedisNodes, wait_for

from topiccrawler.cluster.redis.partitions import PartitionedFrontier
from topiccrawler.cluster.redis.records import PARTITIONS, SLOTS, partitions_of, prefix_of
from topiccrawler.cluster.redis.server import RedisView, open_shared
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import State

URLS = [(f"h{number}/{page}", 100.0 * page + number) for number in range(40) for page in range(2)]


@pytest.fixture
def own_nodes() -> Iterator[RedisNodes]:
    """Nodes of which a test may kill one."""
    nodes = RedisNodes().start()
    yield nodes
    nodes.stop()


def crawl(nodes: RedisNodes, job: str = "money") -> PartitionedFrontier:
    frontier = open_shared(nodes.url, job, call_seconds=60.0)
    assert isinstance(frontier, PartitionedFrontier)
    return frontier


@pytest.mark.parametrize("job", ["money", "a", "x" * 100, "2024-11_基金".encode("punycode").decode()])
@pytest.mark.parametrize("nodes", [1, 2, 3, 4, 6, 12])
def test_nodes_with_equal_ranges_of_slots_have_as_many_partitions(job: str, nodes: int) -> None:
    slots = [key_slot(prefix_of(job, number).encode()) for number in partitions_of(job)]
    distances = [(slot - slots[0] - place * SLOTS / PARTITIONS) % SLOTS for place, slot in enumerate(slots)]
    assert partitions_of(job)[0] == 0
    assert all(distance < 33 or distance > SLOTS - 33 for distance in distances)
    assert set(Counter(slot * nodes // SLOTS for slot in slots).values()) == {PARTITIONS // nodes}


def test_all_keys_of_a_crawl_are_in_the_slots_of_its_partitions_on_all_nodes(redis_nodes: RedisNodes) -> None:
    job = "of-all-nodes"  # of one name in fifty a slot lies past a border, and a node has a partition more
    with crawl(redis_nodes, job) as frontier:
        push(frontier, *URLS)
        assert drain(frontier)[:2] == ["h39/1", "h38/1"]
        frontier.exchange.announce("stop")
        frontier.notes.put("harvest", "{}")
        frontier.commit()
        assert states(frontier) == {"completed": len(URLS)}
        prefixes = {prefix_of(job, number).encode() for number in partitions_of(job)}
        for node in redis_nodes.nodes:
            with node.client() as client:
                found = [key.partition(b"}")[0] + b"}:" for key in client.keys(f"topiccrawler:{{{job}*")]
            here = set(found)
            assert len(here) == PARTITIONS // NODES
            prefixes -= here
        assert prefixes == set()


@pytest.mark.slow
def test_the_best_of_all_nodes_goes_first_and_each_url_once_to_two_processes(redis_nodes: RedisNodes) -> None:
    first, second = (crawl(redis_nodes, job) for job in [uuid4().hex] * 2)
    push(first, *URLS)
    assert lease(first) == "h39/1"
    first.end("http://h39/1", State.COMPLETED, "", 0.0)
    first.commit()
    order: list[str] = ["h39/1"]
    until(lambda: order.extend(drain(first) + drain(second)) or len(order) == len(URLS))
    assert sorted(order) == sorted(url for url, _ in URLS)
    until(lambda: [first.pending(), second.pending()] == [False, False])
    for frontier in (first, second):
        frontier.close()


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 2], ids=["of_redis_url", "of_the_first_partition"])
def test_what_is_found_while_a_node_is_away_waits_for_it_and_the_others_go_on(
    own_nodes: RedisNodes, number: int
) -> None:
    frontier = crawl(own_nodes)
    push(frontier, *(row for row in URLS if row[0].endswith("/0")))
    frontier.commit()
    assert states(frontier) == {"waiting": 40}
    doomed, port = own_nodes.nodes[number], own_nodes.ports[number]
    doomed.kill()
    push(frontier, *(row for row in URLS if row[0].endswith("/1")))
    frontier.commit()
    away = [part for part in frontier.parts if part.worker.connection._client.server.endswith(f":{port}")]
    assert len(away) == PARTITIONS // NODES
    order: list[str] = []
    others = {url for url, _ in URLS if frontier._of(url.partition("/")[0]) not in away}
    assert 0 < len(others) < len(URLS)
    until(lambda: order.extend(drain(frontier)) or set(order) >= others)
    until(lambda: all(part.worker.away for part in away))
    assert frontier.pending()
    doomed.start()
    until(lambda: order.extend(drain(frontier)) or len(order) >= len(URLS))
    assert sorted(order) == sorted(url for url, _ in URLS)
    until(lambda: not frontier.pending())
    assert states(frontier) == {"completed": len(URLS)}
    assert [part.figures()["outages"] for part in frontier.parts] == [
        int(part in away) for part in frontier.parts
    ]
    frontier.close()
    assert RedisView(own_nodes.url, "money").look().counts()[State.COMPLETED] == len(URLS)


@pytest.mark.slow
def test_a_replica_that_takes_over_is_found_and_gets_what_it_had_not_heard_of(own_nodes: RedisNodes) -> None:
    own_nodes.add_replica(2)
    frontier = crawl(own_nodes)
    push(frontier, *URLS[:40])
    frontier.commit()
    assert states(frontier) == {"waiting": 40}
    with own_nodes.nodes[3].client() as replica:
        wait_for(lambda: replica.dbsize() > 0)
        replica.execute_command("CONFIG SET", "masterauth", "wrong")  # it hears no more
        replica.execute_command("CLIENT KILL", "TYPE", "master")
        wait_for(lambda: replica.info("replication")["master_link_status"] == "down")
    push(frontier, *URLS[40:])
    frontier.commit()
    assert states(frontier) == {"waiting": len(URLS)}
    with own_nodes.nodes[3].client() as replica:
        assert replica.info("replication")["master_link_status"] == "down"
    own_nodes.nodes[2].kill()
    order: list[str] = []
    until(lambda: order.extend(drain(frontier)) or len(order) >= len(URLS))
    assert sorted(order) == sorted(url for url, _ in URLS)
    until(lambda: not frontier.pending())
    assert states(frontier) == {"completed": len(URLS)}
    frontier.close()


@pytest.mark.slow
def test_a_cluster_without_one_of_its_nodes_is_not_joined(own_nodes: RedisNodes) -> None:
    own_nodes.nodes[2].kill()
    with pytest.raises(StateError, match="REDIS_URL"):
        crawl(own_nodes)
    crawls = own_nodes.nodes[0].client().keys("topiccrawler:*")
    assert crawls == []


@pytest.mark.slow
def test_a_partition_is_away_while_its_slot_moves_and_goes_on_where_it_came_to(own_nodes: RedisNodes) -> None:
    frontier = crawl(own_nodes)
    push(frontier, *URLS)
    frontier.commit()
    part = frontier._of("h7")
    slot = key_slot(part.worker.connection._client.prefix.encode())
    source, target = (own_nodes.nodes[number].client() for number in source_and_another(own_nodes, slot))
    move = Move(source, target, slot, own_nodes)
    move.begin()
    end = time.monotonic() + 0.5
    keys = move.keys()
    move.some(keys[: len(keys) // 2])
    push(frontier, ("h7/9", 999.0))
    frontier.commit()
    order: list[str] = []
    until(lambda: order.extend(drain(frontier)) or (part.worker.away and time.monotonic() > end))
    assert "h7/9" not in order
    move.some(move.keys())
    move.end()
    until(lambda: order.extend(drain(frontier)) or len(order) >= len(URLS) + 1)
    assert sorted(order) == sorted([*(url for url, _ in URLS), "h7/9"])
    assert target.exists(f"{part.worker.connection._client.prefix}recipe") == 1
    frontier.close()


def source_and_another(nodes: RedisNodes, slot: int) -> tuple[int, int]:
    """Numbers of the node that has the slot and of one that has not."""
    with nodes.client() as client:
        port = client.nodes_manager.get_node_from_slot(slot).port
    source = nodes.ports.index(port)
    return source, (source + 1) % NODES


class Move:
    """Of a slot, in steps, as `redis-cli --cluster reshard` does it."""

    def __init__(self, source: redis.Redis, target: redis.Redis, slot: int, nodes: RedisNodes) -> None:
        self.source, self.target, self.slot, self.nodes = source, target, slot, nodes
        self.names = [client.execute_command("CLUSTER MYID").decode() for client in (source, target)]

    def begin(self) -> None:
        source, target = self.names
        self.target.execute_command("CLUSTER SETSLOT", self.slot, "IMPORTING", source)
        self.source.execute_command("CLUSTER SETSLOT", self.slot, "MIGRATING", target)

    def keys(self) -> list[Any]:
        return list(self.source.execute_command("CLUSTER", "GETKEYSINSLOT", self.slot, 100_000))

    def some(self, keys: list[Any]) -> None:
        port = self.target.execute_command("CONFIG GET", "port")["port"]
        self.source.execute_command("MIGRATE", "127.0.0.1", port, "", 0, 5000, "KEYS", *keys)

    def end(self) -> None:
        for node in self.nodes.nodes:
            node.client().execute_command("CLUSTER SETSLOT", self.slot, "NODE", self.names[1])
