"""Queries as users type them."""

import pytest

from topiccrawler.errors import ArgumentError
from topiccrawler.results.search import make_query, segmenter_for
from topiccrawler.store.index import fts5
from topiccrawler.text.segmenter import Segmenter


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("基金 股票", '(("基金")) AND (("股票"))'),
        ("基金股票", '(("基金" AND "股票"))'),
        ('"基金股票"', '(("基金 股票"))'),
        ("“基金股票”", '(("基金 股票"))'),
        ("＂貸款＂", '(("贷款"))'),
        ("Banks -股票", '((("bank"))) NOT (("股票"))'),
        ('c++ -"基金 股票"', '((("c++"))) NOT (("基金 股票"))'),
        ("基金 的", '(("基金"))'),  # single characters are in no index
        ('"基金', '(("基金"))'),
        ('OR " NEAR(', '(("or")) AND (("near"))'),
    ],
)
def test_words_phrases_and_exclusions_become_an_expression(text: str, expression: str) -> None:
    assert fts5(make_query(text, segmenter_for(text)).terms) == expression


def test_a_word_that_the_segmenter_cuts_is_looked_for_in_either_spelling() -> None:
    query = make_query("纯电动", segmenter_for("纯电动"))
    assert fts5(query.terms) == '(("纯电动") OR ("电动"))'
    assert query.marked == ("纯电动", "电动")


@pytest.mark.parametrize("text", ["", "  ", "的", "-股票", '""', "!?", "買い物"])
def test_a_query_that_can_find_nothing_is_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match="scrapy search"):
        make_query(text, segmenter_for(text))


def test_a_phrase_of_a_script_without_blanks_is_looked_for_where_the_topic_has_it() -> None:
    query = make_query("買い物 カメラ", segmenter_for("買い物 カメラ", Segmenter(["買い物"])))
    assert fts5(query.terms) == '(("买い物")) AND (("カメラ"))'
