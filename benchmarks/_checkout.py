"""Imported by each benchmark before the package, so that `python benchmarks/NAME.py` works in a checkout that is not installed."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = str(Path(__file__).resolve().parents[1])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)
