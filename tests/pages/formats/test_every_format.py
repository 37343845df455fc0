"""Each file of the folder cases is read as the JSON beside it says; a format without a file fails. The name's end is the format."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from topiccrawler.pages.formats.reader import Formats
from topiccrawler.pages.formats.registry import HTML, READ, recognise

CASES = sorted(path for path in Path(__file__).with_name("cases").iterdir() if path.suffix != ".json")


def test_every_format_has_a_case() -> None:
    assert {path.suffix[1:] for path in CASES} == READ - {HTML}  # pages of HTML: tests/pages/cases


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_a_file_is_read_as_its_json_says(path: Path, formats: Formats) -> None:
    expected = json.loads(path.with_name(f"{path.name}.json").read_text(encoding="utf-8"))
    charset, body = expected.pop("charset", None), path.read_bytes()
    declared = "text/plain" if path.suffix == ".text" else "text/html"
    assert recognise(body, declared) == path.suffix[1:]
    found = asdict(formats.read(path.suffix[1:], body, charset))
    assert json.loads(json.dumps({name: value for name, value in found.items() if value})) == expected
