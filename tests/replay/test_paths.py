"""Which files a setting means."""

from pathlib import Path

import pytest

from topiccrawler.errors import ReplayError
from topiccrawler.replay.warc import recorded_paths


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.warc.gz", "a.warc", "notes.txt", "c.warc.gz.part"):
        (tmp_path / name).touch()
    return tmp_path


def test_a_folder_means_its_warc_files_in_order_of_name(folder: Path) -> None:
    assert recorded_paths(str(folder)) == [folder / "a.warc", folder / "b.warc.gz"]


@pytest.mark.parametrize("name", ["gone.warc", "gone/*.warc", "empty"])
def test_a_name_without_files_is_an_error_that_says_it(folder: Path, name: str) -> None:
    (folder / "empty").mkdir()
    with pytest.raises(ReplayError) as error:
        recorded_paths(f"{folder}/a.warc,{folder}/{name}")
    assert str(error.value).startswith(f"{folder}/{name}: ")


@pytest.mark.parametrize("setting", ["", " , ", []])
def test_an_empty_setting_is_an_error(setting: str | list[str]) -> None:
    with pytest.raises(ReplayError, match=r"\.warc"):
        recorded_paths(setting)
