"""Keeps the page classifier in use unless a new one is at least as good on the same held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from topiccrawler.errors import ModelError
from topiccrawler.files import JsonFile
from topiccrawler.relevance.model_file import LARGEST_BYTES

FORCE = "keep it, or insist with --force (the old one is kept as FILE.old)"


def refuse_worse(
    place: Path, new: float, row: str, training: Mapping[str, Any], test: Callable[[], float]
) -> None:
    """ModelError when the page classifier in the file `place` does better than a new one, whose F1 is `new`.

    `test` gives the F1 of the one in the file on the rows held out from the new one. If it was trained on one of the same
    files (`training`), it has seen those rows: the F1 of its own training, in the scores' line `row`, is compared instead.
    One that cannot be read is of no use to a crawl and may be replaced.
    """
    if not place.exists():
        return
    try:
        old, how = test(), "on the same held-out rows"
        known = JsonFile(place, LARGEST_BYTES, ModelError, "page classifier", FORCE).values
    except ModelError:
        return
    if _digests(known.get("training")) & _digests(training):
        scores = known.get("scores")
        own = scores.get(row) if isinstance(scores, dict) else None
        if isinstance(own, dict) and isinstance(own.get("f1"), int | float):
            old, how = float(own["f1"]), "in its own training"
    if round(old, 4) > round(new, 4):
        fault = f"stays in use: it does better (F1 {old:.4f} {how}, the new one {new:.4f})"
        raise ModelError(str(place), fault, FORCE)


def _digests(training: object) -> set[str]:
    files = training.get("files") if isinstance(training, Mapping) else None
    rows = files if isinstance(files, list) else []
    return {str(row["sha256"]) for row in rows if isinstance(row, dict) and "sha256" in row}
