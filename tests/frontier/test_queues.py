"""Queues against sorting, with and without a bound on memory."""

from __future__ import annotations

import random

import pytest

from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.queues import Queues


class World:
    """Scores of waiting URLs, and queues over them."""

    def __init__(self, memory_urls: int) -> None:
        self.scores: dict[int, float] = {}
        self.queues = Queues(Hosts(concurrency=10**9), self.scores.get, memory_urls)

    def put(self, number: int, score: float) -> None:
        self.scores[number] = score
        self.queues.put(self.host(number), score, number)

    def take(self) -> int | None:
        found = self.queues.best(0.0)
        if found is None:
            return None
        host, number = found
        assert host == self.host(number)
        del self.scores[number]
        self.queues.settle(host)
        return number

    def best(self) -> int | None:
        return min(self.scores, key=lambda number: (-self.scores[number], number), default=None)

    @staticmethod
    def host(number: int) -> str:
        return f"host{number % 3}"


@pytest.mark.parametrize("memory_urls", [0, 20, 200])
@pytest.mark.parametrize("seed", range(8))
def test_the_order_is_that_of_sorting_whatever_changes_meanwhile(memory_urls: int, seed: int) -> None:
    draw = random.Random(seed)
    world = World(memory_urls)
    for number in range(1500):
        world.put(number, draw.choice([draw.random(), draw.randrange(5) / 4]))
        if draw.random() < 0.5:
            changed = draw.randrange(number + 1)
            if changed in world.scores:
                world.put(changed, draw.random())
                world.queues.settle(world.host(changed))
        if draw.random() < 0.3:
            expected = world.best()
            assert world.take() == expected
    expected_order = sorted(world.scores, key=lambda number: (-world.scores[number], number))
    assert [world.take() for _ in range(len(expected_order) + 1)] == [*expected_order, None]


def test_a_bound_holds_while_urls_arrive_and_leave() -> None:
    draw = random.Random(0)
    world = World(300)
    most = 0
    for number in range(9000):
        world.put(number, draw.random())
        most = max(most, sum(len(queue.heap) for queue in world.queues._queues.values()))
    while world.take() is not None:
        most = max(most, sum(len(queue.heap) for queue in world.queues._queues.values()))
    assert most <= 300 + 3 * 256  # one piece a host may be back beyond the bound


def test_a_loaded_queue_is_bounded_too_and_keeps_the_order() -> None:
    draw = random.Random(0)
    world = World(90)
    for host in range(3):
        numbers = range(host, 3000, 3)
        world.scores.update((number, draw.random()) for number in numbers)
        world.queues.load(f"host{host}", [(-world.scores[number], number) for number in numbers], 3)
    assert sum(len(queue.heap) for queue in world.queues._queues.values()) == 90
    expected = sorted(world.scores, key=lambda number: -world.scores[number])
    assert [world.take() for _ in range(3001)] == [*expected, None]


def test_raising_one_url_over_and_over_does_not_fill_memory() -> None:
    world = World(0)
    world.put(0, 0.0)
    for step in range(1, 10_000):
        world.put(3, float(step))
    assert len(world.queues._queues["host0"].heap) <= 129
    assert [world.take(), world.take(), world.take()] == [3, 0, None]
