"""The piece of a text that shows why it was found."""

from topiccrawler.results.search import WIDTH, snippet


def test_words_are_marked_in_the_texts_own_spelling() -> None:
    found = snippet("銀行貸款 and ＢＡＮＫＳ", ("贷款", "bank"))
    assert found.marked() == "銀行«貸款» and «ＢＡＮＫＳ»"
    assert [found.text[start:end] for start, end in found.marks] == ["貸款", "ＢＡＮＫＳ"]


def test_the_piece_with_most_different_words_is_chosen() -> None:
    text = "基金。" + "空" * 500 + "基金与股票" + "尾" * 500
    found = snippet(text, ("基金", "股票"))
    assert "«基金»与«股票»" in found.marked()
    assert found.text.startswith("…")
    assert found.text.endswith("…")
    assert len(found.text) <= WIDTH + 2


def test_words_of_other_languages_are_marked_as_they_are_inflected() -> None:
    assert snippet("Ebenen und Masken, Sélections", ("eben", "select")).marked() == (
        "«Ebenen» und Masken, «Sélections»"
    )
    assert snippet("новые камеры", ("камер",)).marked() == "новые «камер»ы"
