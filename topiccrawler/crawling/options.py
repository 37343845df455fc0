"""Settings that every strategy shares, from the text a user wrote to what the strategies take."""

from __future__ import annotations

import logging
from pathlib import Path

from topiccrawler.errors import ArgumentError
from topiccrawler.strategies.base import Expand
from topiccrawler.text.thesauri import load_thesaurus
from topiccrawler.text.thesaurus import Thesaurus
from topiccrawler.text.vector_thesaurus import shipped

logger = logging.getLogger(__name__)


def expand_of(text: str | None) -> Expand | None:
    """TOPIC_EXPAND: whose links are followed; None = as the strategy's paper has it."""
    if not text:
        return None
    if text == "all":
        return "all"
    if text == "relevant":
        return "relevant"
    raise ArgumentError(f"TOPIC_EXPAND={text!r}", "is not known", "use all or relevant")


def thesaurus_of(text: str | None) -> Thesaurus:
    """TOPIC_THESAURUS: a file in Cilin format or of a WordNet; None = ours; "none" = only equal words are near."""
    if not text:
        return shipped()
    if text == "none":
        logger.info("No thesaurus: only equal words count as near")
        return Thesaurus()
    return load_thesaurus(Path(text).expanduser())
