"""A frontier in Redis that waits for each of its changes, so that the contract suite of the other frontiers runs on it."""

from typing import Any

from topiccrawler.cluster.redis.frontier import RedisFrontier
from topiccrawler.cluster.redis.joining import Membership
from topiccrawler.frontier.hosts import Hosts


class PromptFrontier(RedisFrontier):
    """It waits until it has heard what it asked."""

    def __init__(self, joined: Membership, hosts: Hosts | None = None, **options: Any) -> None:
        super().__init__(joined, hosts, **options)
        begin = self._readings.begin

        def read(host: str) -> bool:
            asked = begin(host)
            for question in list(self._readings._open.values()):
                question.call.done.wait(60.0)
            self._readings.receive()
            return asked

        self._readings.begin = read  # type: ignore[method-assign]

    def look_around(self, now: float) -> None:
        super().look_around(now)
        self._looking.finish(60.0, self._lost)
