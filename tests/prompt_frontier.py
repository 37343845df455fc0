"""A frontier in Redis whose every step is whole, as those of the other frontiers are."""

from __future__ import annotations

from topiccrawler.frontier.redis.frontier import RedisFrontier


class PromptFrontier(RedisFrontier):
    """It waits until it has heard what it asked."""

    def _look_around(self) -> None:
        super()._look_around()
        self._looking.finish(60.0, self._lost)
