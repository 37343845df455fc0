"""Tests that a lazy pattern does what a compiled one does, and compiles once, at its first use."""

import re

import pytest

from topiccrawler import patterns
from topiccrawler.patterns import lazy_pattern


def test_a_lazy_pattern_finds_what_a_compiled_one_finds():
    expression, text = r"(第)([一二三四]+)章", "第一章,第二章"
    late, early = lazy_pattern(expression), re.compile(expression)
    assert late.findall(text) == early.findall(text) == [("第", "一"), ("第", "二")]
    assert late.sub(r"\2", text) == "一,二"
    assert [late.pattern, late.flags, late.groups] == [early.pattern, early.flags, early.groups]


def test_flags_and_bytes_are_as_in_re():
    assert lazy_pattern(rb"charset=(\w+)", re.IGNORECASE).search(b"CHARSET=gbk")[1] == b"gbk"


def test_an_expression_is_compiled_at_its_first_use_and_not_again(monkeypatch):
    compiled = []

    def compile_(expression, flags):
        compiled.append(expression)
        return original(expression, flags)

    original = re.compile
    monkeypatch.setattr(patterns.re, "compile", compile_)
    late = lazy_pattern("a+")
    assert compiled == []
    assert [late.search("baab")[0] for _ in range(3)] == ["aa"] * 3
    assert compiled == ["a+"]


def test_a_faulty_expression_is_reported_when_it_is_used():
    late = lazy_pattern("(")
    with pytest.raises(re.error, match="missing \\)"):
        late.search("")
