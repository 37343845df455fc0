"""Files are never seen half written."""

import os
import threading
from pathlib import Path

import pytest

from topiccrawler.files import keep_former, replace_file, whole_file


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    place = tmp_path / "model.json"
    replace_file(place, "股票")
    replace_file(place, "基金")
    assert place.read_text(encoding="utf-8") == "基金"
    assert list(tmp_path.iterdir()) == [place]


def test_what_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    place = tmp_path / "model.json"
    replace_file(place, "股票")
    with pytest.raises(UnicodeEncodeError):
        replace_file(place, "\ud800")
    assert place.read_text(encoding="utf-8") == "股票"
    assert list(tmp_path.iterdir()) == [place]


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    place, found = tmp_path / "pipe", list[bytes]()
    os.mkfifo(place)
    reader = threading.Thread(target=lambda: found.append(place.read_bytes()), daemon=True)
    reader.start()
    with whole_file(place) as out:
        out.write(b"lines")
    reader.join(10)
    assert found == [b"lines"]
    assert place.is_fifo()


def test_three_former_versions_are_kept_the_last_first(tmp_path: Path) -> None:
    place = tmp_path / "model.json"
    assert keep_former(place) is None
    for version in ("1", "2", "2", "3", "4", "5"):
        keep_former(place)
        place.write_text(version, encoding="utf-8")
    keep_former(place)
    keep_former(place)  # the same bytes are not kept twice
    kept = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir() if path != place}
    assert kept == {"model.json.old": "5", "model.json.old.2": "4", "model.json.old.3": "3"}
