"""Holds what users block while a crawl runs (urls.unwanted): a note of the queue, so it survives a restart."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict

from topiccrawler.crawling.sharing import Exchange
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.frontier.base import Notes
from topiccrawler.urls.unwanted import Block

logger = logging.getLogger(__name__)

BLOCKS_NOTE = "blocks"


class Blocks:
    """The blocks that users have set in one crawl; with an `exchange`, a block set in one process applies in all."""

    def __init__(self, notes: Notes, exchange: Exchange | None = None) -> None:
        self._notes, self._exchange = notes, exchange
        self._received = 0  # announcements of other processes that were applied
        try:
            kept = json.loads(notes.get(BLOCKS_NOTE) or "[]")
            self._blocks = [Block(**block) for block in kept]
        except (ValueError, TypeError, ArgumentError) as error:
            raise StateError("the job's blocks", f"are damaged ({error})", "choose another JOBDIR") from None

    def add(self, block: Block) -> None:
        """Apply a block from now on, in all processes."""
        if self._keep(block) and self._exchange is not None:
            self._exchange.announce(json.dumps({BLOCKS_NOTE: asdict(block)}, ensure_ascii=False))

    def any(self) -> bool:
        """Whether there is any block."""
        self._receive()
        return bool(self._blocks)

    def reason(self, url: str) -> str | None:
        """Why a URL is blocked; None when it is not."""
        self._receive()
        return next((block.reason for block in self._blocks if block.matches(url)), None)

    def _keep(self, block: Block) -> bool:
        """Store a block; False when it was stored before."""
        if block in self._blocks:
            return False
        self._blocks.append(block)
        self._notes.put(BLOCKS_NOTE, json.dumps([asdict(one) for one in self._blocks], ensure_ascii=False))
        return True

    def _receive(self) -> None:
        """Add the blocks that other processes announced."""
        if self._exchange is None or self._received == len(self._exchange.announced):
            return
        new = self._exchange.announced[self._received :]
        self._received += len(new)
        for text in new:
            try:
                block = Block(**json.loads(text)[BLOCKS_NOTE])
            except (ValueError, TypeError, KeyError, ArgumentError) as error:
                logger.warning("A block announced by another process is damaged (%s): skipped", error)
                continue
            if self._keep(block):
                logger.info("Block announced by another process: %s", block.text)
