"""Challenges, login walls and pages that resemble them: our own reductions of what products send, in challenges/*.txt.

An entry begins with `=== name | kind | product | header: value | charset | URL`; `*` = any product. Entries of negatives have name, header
and charset.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import pytest

from topiccrawler.pages.challenge_signs import CHALLENGE, Challenge, challenge_of, signs_of
from topiccrawler.pages.main_text import main_text
from topiccrawler.pages.parse import parse
from topiccrawler.pages.title import title_of
from topiccrawler.text.characters import decode

FOLDER = Path(__file__).parent / "challenges"


@dataclass(frozen=True)
class Case:
    """A page of the set, and what it is."""

    name: str
    kind: str
    product: str
    headers: tuple[tuple[str, str], ...]
    charset: str
    url: str
    body: bytes


def cases(file: str) -> Iterator[Case]:
    for entry in (FOLDER / file).read_text(encoding="utf-8").split("=== ")[1:]:
        head, _, html = entry.partition("\n")
        fields = [*map(str.strip, head.split("|")), *[""] * 5]
        if file == "negatives.txt":
            fields = [fields[0], "", "", *fields[1:]]
        name, kind, product, header, charset, url = fields[:6]
        headers = ((header.partition(": ")[0], header.partition(": ")[2]),) if header else ()
        body = html.strip().encode(charset or "utf-8")
        yield Case(name, kind, product, headers, charset, url or "http://a.example/p/1", body)


POSITIVES, NEGATIVES = list(cases("positives.txt")), list(cases("negatives.txt"))


def judged(case: Case) -> Challenge | None:
    html, _ = decode(case.body, case.charset or None)
    document = parse(html)
    return challenge_of(
        signs_of(html, document, title_of(document), main_text(document), case.url), case.headers
    )


@pytest.mark.parametrize("case", POSITIVES, ids=lambda case: case.name)
def test_what_is_no_page_is_recognised_and_named(case: Case) -> None:
    found = judged(case)
    assert found.kind == case.kind
    if case.product != "*":
        assert found.name == case.product
    assert found.kind != CHALLENGE or found.signs


@pytest.mark.parametrize("case", NEGATIVES, ids=lambda case: case.name)
def test_a_page_that_resembles_one_is_a_page(case: Case) -> None:
    assert judged(case) is None


@pytest.mark.parametrize(
    "piece",
    [
        "<",
        "<script",
        "<noscript>",
        "<input ",
        "请…",
        "verify ",
        "安全验证|",
        "<meta http-equiv=refresh content=1 ",
    ],
)
def test_a_hostile_page_costs_little(piece: str) -> None:
    html = f"<title>安全验证</title>{piece * (400_000 // len(piece))}"
    document = parse("<title>安全验证</title>")  # what the parser makes of it is bounded elsewhere
    begun = process_time()
    signs_of(html, document, "安全验证", "", "http://a.example/")
    signs_of("", document, f"{piece * 60}", "", f"http://a.example/?url={piece * 400}")
    assert process_time() - begun < 0.5
