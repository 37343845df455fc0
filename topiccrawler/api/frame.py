"""Pages as a pandas DataFrame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields

import pandas as pd

from topiccrawler.store.pages import PageRecord

TIMES = ("fetched",)  # seconds since the epoch


def frame_of(records: Sequence[PageRecord]) -> pd.DataFrame:
    """One row a page, one column a field; `fetched` as a time in UTC."""
    columns = [field.name for field in fields(PageRecord)]
    frame = pd.DataFrame([asdict(record) for record in records], columns=columns)
    for name in TIMES:
        frame[name] = pd.to_datetime(frame[name], unit="s", utc=True)
    return frame
