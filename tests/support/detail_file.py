"""Detail classifiers of a test's own, written as benchmarks/detail_model.py writes them."""

from __future__ import annotations

import runpy
from pathlib import Path

save_detail = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks/_detail_file.py"))["save_detail"]
