"""`scrapy topics edit` as users run it, with an editor that is a script."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.topics.catalogue import load_topic


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """An editor that replaces one text by another."""

    def take(old: str, new: str) -> None:
        script = tmp_path / "my editor.py"
        code = f"import pathlib, sys\np = pathlib.Path(sys.argv[1])\np.write_text(p.read_text('utf-8').replace({old!r}, {new!r}), 'utf-8')\n"
        script.write_text(code, encoding="utf-8")
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", f"{sys.executable} -S '{script}'")

    return take


def test_a_copy_of_a_catalogue_topic_is_edited_by_its_chinese_name_and_looked_over(
    command: Callable[..., Any], editor: Callable[[str, str], None], tmp_path: Path
) -> None:
    place = tmp_path / "mine.toml"
    editor('name = "finance"', 'name = "my-finance"')
    ran = command("topics", "edit", "金融", "--out", str(place))
    assert (ran.code, ran.err) == (0, "")
    assert re.search(r"warning: .* finance\b", ran.out)
    assert ran.out.endswith(f"-a topic={place}\n")
    assert load_topic(str(place)).keywords == load_topic("finance").keywords
    assert "--out" in command("topics", "edit", "金融", "--out", str(place)).err


def test_a_file_of_ones_own_is_edited_where_it_is_and_a_fault_is_one_line(
    command: Callable[..., Any], editor: Callable[[str, str], None], tmp_path: Path
) -> None:
    place = tmp_path / "tea.toml"
    place.write_text('name = "tea"\nkeywords = ["茶叶"]\n', encoding="utf-8")
    editor('["茶叶"]', '{"茶叶" = 0}')
    ran = command("topics", "edit", str(place))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"{place}: keywords.茶叶 = 0: ")
    assert len(ran.err.splitlines()) == 1


def test_without_an_editor_it_says_where_the_file_is(
    command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    place = str(tmp_path / "travel.toml")
    assert json.loads(command("topics", "edit", "旅游", "--out", place, "--json").out) == {
        "file": place,
        "edited": False,
    }
    monkeypatch.setenv("EDITOR", "no-such-editor")
    ran = command("topics", "edit", place)
    assert (ran.code, "EDITOR=no-such-editor: " in ran.err) == (1, True)
