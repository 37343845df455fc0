"""The notes of one worker: read when it joins, kept in memory, written with its other changes."""

from __future__ import annotations

from collections.abc import Mapping

from topiccrawler.frontier.redis.batch import Batch


class RedisNotes:
    """See frontier.base.Notes. A worker that takes the place of one that left finds its notes."""

    def __init__(self, batch: Batch, texts: dict[str, str]) -> None:
        self._batch, self._texts = batch, texts

    def put(self, name: str, text: str) -> None:
        if self._texts.get(name) != text:
            self._texts[name] = text
            self._batch.note(name, text)

    def get(self, name: str) -> str | None:
        return self._texts.get(name)

    def all(self, prefix: str = "") -> Mapping[str, str]:
        return {name: text for name, text in self._texts.items() if name.startswith(prefix)}


def texts_of(raw: Mapping[bytes, bytes]) -> dict[str, str]:
    """Notes as the server has them."""
    return {
        name.decode("utf-8", "replace"): text.decode("utf-8", "surrogatepass") for name, text in raw.items()
    }
