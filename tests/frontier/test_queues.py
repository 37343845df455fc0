"""Queues against sorting, with and without a bound on memory."""

import random
from array import array
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.leasing import Queues


class World:
    """Scores of waiting URLs, and queues over them."""

    def __init__(self, memory_urls: int) -> None:
        self.scores: dict[int, float] = {}
        self.queues = Queues(Hosts(concurrency=10**9), self.scores.get, self.scores_of, memory_urls)

    def scores_of(self, numbers: NDArray[np.uint32]) -> NDArray[np.float64]:
        return np.array([self.scores.get(number, -np.inf) for number in numbers.tolist()])

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
    assert most <= 300


def test_a_long_queue_is_looked_through_once_for_many_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host with 60 000 waiting URLs among hosts that have used up the memory."""
    draw = random.Random(0)
    world = World(3)
    looks = []
    bring_back = world.queues._bring_back

    def counted(queue: Any, most: int) -> None:
        looks.append(most)
        bring_back(queue, most)

    monkeypatch.setattr(world.queues, "_bring_back", counted)
    for number in range(0, 180_000, 3):
        world.scores[number] = draw.random()
    world.queues.load("host0", array("I", world.scores), 3)
    expected = sorted(world.scores, key=world.scores.__getitem__, reverse=True)[:1000]
    assert [world.take() for _ in range(1000)] == expected
    assert len(looks) < 12
