"""A language is known by its function words, or not at all."""

from __future__ import annotations

import pytest

from topiccrawler.text.languages import language_by_words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Die Gebühren der Fonds unterscheiden sich, deshalb lohnt sich ein Vergleich vor dem Kauf.", "de"),
        ("Las comisiones varían mucho, por eso vale la pena compararlas antes de comprar un fondo.", "es"),
        ("Les frais varient beaucoup, c'est pourquoi il vaut la peine de les comparer avec soin.", "fr"),
        ("Le commissioni dei fondi variano molto, quindi vale la pena confrontarle prima di comprare.", "it"),
        ("As comissões dos fundos variam muito, por isso vale a pena compará-las antes de comprar.", "pt"),
        ("De kosten verschillen sterk, daarom is het verstandig om ze voor de aankoop te vergelijken.", "nl"),
        (
            "Opłaty bardzo się różnią, dlatego warto je porównać, ale nie jest to takie proste jak się wydaje.",
            "pl",
        ),
        ("Avgifterna skiljer sig mycket åt, och därför är det värt att jämföra dem innan man köper.", "sv"),
        ("Phí của các quỹ rất khác nhau, vì vậy nên so sánh trước khi mua.", "vi"),
        (
            "Комиссии фондов сильно различаются, поэтому перед покупкой стоит их сравнить, и это не так просто.",
            "ru",
        ),
        ("The fees of the funds differ, so it is worth comparing them before you buy.", "en"),
        ("London Berlin Tokyo numpy pandas requests", ""),
        ("de la de la de la de la", ""),
        ("2019 08 31", ""),
        ("", ""),
    ],
)
def test_the_language_of_a_sentence(text: str, language: str) -> None:
    assert language_by_words(text) == language
