"""examples/topic_corpus.ipynb, run as a user runs it; no network."""

import gzip
import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from message_facts import numbers

from topiccrawler import Job

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "examples" / "topic_corpus.ipynb"


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def text_of(cell: Any) -> str:
    """What the cell printed or returned, as text."""
    found = (output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell["outputs"])
    return "".join(found)


@pytest.mark.slow
def test_the_notebook_crawls_watches_judges_plots_and_exports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / ".ipython"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Jupyter's own packages
        import nbformat
        from nbclient import NotebookClient

        notebook = nbformat.read(NOTEBOOK, as_version=4)
        NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    _, begun, watched, judged, taught, went_on, plotted, exported, _ = code_cells(notebook)
    assert "Job('data/travel')" in text_of(begun)
    for cell in (watched, went_on):
        pictures, tables = (
            [one for one in cell["outputs"] if kind in one.get("data", {})]
            for kind in ("image/png", "text/html")
        )
        assert len(pictures) == len(tables) == 1
    assert text_of(judged).count("\n") == 10
    assert int(numbers(text_of(taught))[0]) > 0
    assert "image/png" in plotted["outputs"][0]["data"]

    job = Job(tmp_path / "data" / "travel")
    summary = job.summary()
    assert summary.fetched == 300
    assert summary.harvest_rate > 0.3
    lines = text_of(exported).splitlines()
    # of pages that are found by judging again no HTML is kept
    lines = [line for line in lines if "plain text, without structure" not in line]
    for line, file in zip(lines, ("travel.csv", "travel.md", "travel-corpus"), strict=False):
        assert file in line.split()
    with gzip.open(tmp_path / "travel-corpus" / "pages-00000.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    assert (lines[2].startswith(f"{len(rows)} "), "travel-corpus" in lines[2]) == (True, True)
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)
    urls = {page.url for page in job.best()}
    assert {row["url"] for row in rows} <= urls
    assert len(rows) > 0.8 * len(urls)
    assert all(row["text"] and row["language"] == "zh-Hans" for row in rows)
