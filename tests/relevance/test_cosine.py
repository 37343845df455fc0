"""The papers' cosine by hand: the thesis' weights, the title's factor, pruning and expansion, the threshold, and how it is asked for."""

import math

import pytest

from topiccrawler.errors import ArgumentError
from topiccrawler.model import Link, Via
from topiccrawler.pages.read import PageWords, Reader
from topiccrawler.relevance.choose import make_page_classifier
from topiccrawler.relevance.cosine import CosineClassifier
from topiccrawler.topics.common_words import background_idf
from topiccrawler.topics.topic import make_topic

W1, W2 = 0.086427, 0.077784  # thesis, table 4-2: term1 40 times, term2 36 times
TOPIC = make_topic({"name": "test", "keywords": {"基金": W1, "股票": W2}}, "test")
PAGE = PageWords(body=["基金"] * 40 + ["股票"] * 10)  # the thesis' other text: 40 and 10 times


def cosine_of(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other))


@pytest.mark.parametrize(
    ("weights", "page", "value"),
    [
        ("topic", [1.0 * W1, 0.25 * W2], 0.87201),  # §4.4.4: x = (1, 10/40), b = (x1·w1, x2·w2)
        ("tf", [40.0, 10.0], 0.88335),  # SkyReach §3.7: weighted by how often they occur
        ("tf_idf", [40 * background_idf()["基金"], 10 * background_idf()["股票"]], None),
    ],
)
def test_the_thesis_two_texts_have_the_papers_cosine(
    weights: str, page: list[float], value: float | None
) -> None:
    found = CosineClassifier(TOPIC, weights=weights).similarity(PAGE)
    assert found == pytest.approx(cosine_of([W1, W2], page))
    assert value is None or found == pytest.approx(value, abs=1e-5)


def test_a_word_of_the_title_counts_as_often_as_the_factor_says() -> None:
    titled = PageWords(title=["股票"], body=["基金"] * 40 + ["股票"] * 5)
    assert CosineClassifier(TOPIC, title_weight=5).similarity(titled) == pytest.approx(0.87201, abs=1e-5)
    plain = cosine_of([W1, W2], [40 * W1, 6 * W2])
    assert CosineClassifier(TOPIC, title_weight=1).similarity(titled) == pytest.approx(plain)
    headed = PageWords(
        title=["股票"], headings=["股票"] * 9, meta=["股票"], body=["基金"] * 40 + ["股票"] * 5
    )
    assert CosineClassifier(TOPIC).similarity(headed) == CosineClassifier(TOPIC).similarity(titled)


def test_the_title_alone_decides_as_the_thesis_was_run() -> None:
    """Title 股票 twice, 基金 once: x = (.5, 1), b = (.5 w1, w2); the body, about 基金 alone, changes nothing."""
    page = PageWords(title=["股票", "股票", "基金"], headings=["基金"], body=["基金"] * 40)
    found = make_page_classifier(TOPIC, "cosine:fields=title:title_weight=1")
    assert found.similarity(page) == pytest.approx(cosine_of([W1, W2], [0.5 * W1, W2]))
    untitled = PageWords(body=["基金"] * 40 + ["股票"] * 36)
    assert [found.similarity(untitled), found.relevance(untitled)] == [0.0, 0.0]
    assert CosineClassifier(TOPIC).relevance(untitled) > 0.9


def test_the_anchors_that_lead_to_a_page_do_not_count() -> None:
    """Unlike §3.3.1 of the thesis, which values them as what others say of the page."""
    html = "<title>股票</title><p>基金 股票</p>".encode("gb18030")
    found = []
    for anchor in ("", "基金 基金 基金"):
        link = Link("http://a.example/1", "a.example", anchor, source_url="http://b.example/")
        reader = Reader(make_page_classifier(TOPIC, "cosine:title_weight=1"))
        found.append(reader.read(link.url, html, "gb18030", via=Via(link)).page.similarity)
    assert found == pytest.approx([cosine_of([W1, W2], [0.5 * W1, W2])] * 2)


def test_other_words_are_dropped_and_words_it_lacks_are_zero() -> None:
    page = PageWords(body=["基金", *["天气"] * 500])
    found = CosineClassifier(TOPIC)
    assert found.similarity(page) == pytest.approx(W1 / math.hypot(W1, W2))
    assert found.explain(page) == [("基金", found.similarity(page))]
    assert [found.similarity(PageWords(body=["天气"])), found.relevance(PageWords())] == [0.0, 0.0]


def test_a_page_is_kept_from_the_threshold_on() -> None:
    at = CosineClassifier(TOPIC).similarity(PAGE)
    assert CosineClassifier(TOPIC, threshold=at).relevance(PAGE) == 0.5
    assert CosineClassifier(TOPIC, threshold=at + 0.001).relevance(PAGE) < 0.5


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("cosine:weights=bm25", "weights=bm25: .*: tf, topic, tf_idf"),
        ("cosine:threshold=1", "threshold=1, "),
        ("cosine:title_weight=much", "title_weight=much; .*: weights, fields, title_weight, threshold"),
        ("cosine:fields=body", "fields=body: .*: all, title"),
        ("cosine:fields=title:title_weight=0", "fields=title, title_weight=0: "),
        ("naive_bayes:published=maybe", "published=maybe; .*: published"),
        ("vsm:title_weight=5", "title_weight=5; .*: none"),
    ],
)
def test_a_wrong_parameter_is_refused_in_one_line(spec: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make_page_classifier(TOPIC, spec)
