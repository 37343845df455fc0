"""The classifier: scores by hand, explanation, bounds, and its agreement with scikit-learn."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_profiles import examples
from sklearn.naive_bayes import BernoulliNB

from topiccrawler.link_model.classifier import (
    LEXICON,
    PAPER_TRUST,
    Counts,
    Lexicon,
    LinkClassifier,
    LinkWords,
    features_of,
    words_of_links,
)
from topiccrawler.model import Link
from topiccrawler.text.segmenter import PLAIN

NO_LEXICON = Lexicon(())


def trained(samples: list[tuple[LinkWords, bool]], lexicon: Lexicon = NO_LEXICON) -> Counts:
    counts = Counts()
    for words, positive in samples:
        counts.add(features_of(words, lexicon), positive)
    return counts


def some_counts(lexicon: Lexicon = NO_LEXICON) -> Counts:
    return trained(
        [
            (LinkWords(["基金"], ["股票"], ["fund"]), True),
            (LinkWords(["股票"], ["足球"], ["news"]), True),
            (LinkWords(["足球"], ["股票"], ["news"]), False),
            (LinkWords(["旅游"], [], ["trip"]), False),
        ],
        lexicon,
    )


def test_the_papers_model_is_prior_and_ratios_of_present_words() -> None:
    model = LinkClassifier("t", some_counts(), prior=0.2, trust=PAPER_TRUST)
    score = model.log_odds_of_words([LinkWords(["基金", "基金", "没见过"], ["足球"], ["fund"])])[0]
    assert score == pytest.approx(
        math.log(0.2 / 0.8) + math.log((2 / 4) / (1 / 4)) + math.log((2 / 4) / (1 / 4))
    )


def test_fields_are_trusted_as_configured() -> None:
    model = LinkClassifier("t", some_counts(), trust={"anchor": 1.0, "context": 0.5, "url": 0.25})
    score = model.log_odds_of_words([LinkWords(["基金"], ["足球"], ["fund"])])[0]
    assert score == pytest.approx(math.log(2) + 0.5 * math.log(2) + 0.25 * math.log(2))


def test_nothing_known_is_even_odds() -> None:
    model = LinkClassifier("t", some_counts())
    assert model.log_odds([Link(url="http://x.example/", host="x.example")]) == [0.0]
    assert model.log_odds([]) == []


def test_the_lexicon_flag_counts_once_a_field() -> None:
    lexicon = Lexicon(["基金", "股票"])
    model = LinkClassifier("t", some_counts(lexicon), lexicon=lexicon, trust={"anchor": 1.0})
    with_flag = model.log_odds_of_words([LinkWords(["基金", "股票"], ["基金"], [])])[0]
    assert with_flag == pytest.approx(2 * math.log(2) + math.log((3 / 4) / (1 / 4)))


def test_an_explanation_adds_up_to_the_score_largest_first() -> None:
    lexicon = Lexicon(["基金"])
    model = LinkClassifier("t", some_counts(lexicon), prior=0.3, lexicon=lexicon)
    link = Link(
        url="http://fund.example/", host="fund.example", anchor="基金与足球", before="旅游", after="股票"
    )
    shares = model.explain(link)
    assert sum(share for _, share in shares) == pytest.approx(model.log_odds([link])[0])
    assert [name for name, _ in shares][:2] == ["prior", "anchor:@lexicon"]
    assert {"anchor:基金", "anchor:足球", "url:fund"} <= {name for name, _ in shares}
    assert [abs(share) for _, share in shares] == sorted((abs(share) for _, share in shares), reverse=True)


def test_shares_of_words_equal_scikit_learns() -> None:
    rng = random.Random(7)
    vocabulary = ["基金", "股票", "足球", "旅游", "酒店", "债券"]
    texts = [rng.sample(vocabulary, rng.randint(1, 4)) for _ in range(60)]
    truth = [("基金" in text or "债券" in text) ^ (rng.random() < 0.1) for text in texts]
    table = np.array([[int(word in text) for word in vocabulary] for text in texts])
    oracle = BernoulliNB().fit(table, truth)
    shares, prior = np.diff(oracle.feature_log_prob_, axis=0)[0], np.diff(oracle.class_log_prior_)[0]
    expected = table @ shares + prior  # of the words present only
    counts = trained(
        [(LinkWords(text, [], []), positive) for text, positive in zip(texts, truth, strict=True)]
    )
    model = LinkClassifier("t", counts, prior=sum(truth) / 60, trust={"anchor": 1.0})
    assert model.log_odds_of_words([LinkWords(text, [], []) for text in texts]) == pytest.approx(
        list(expected)
    )


TEXTS = st.text(alphabet=st.sampled_from("基金股票足球旅游上市公司的|，。 a1"), max_size=14)
LINKS = st.builds(
    Link,
    url=st.sampled_from(
        [
            "http://fund.example/news/1.html",
            "http://www.trip.cn/",
            "http://x.example/a?u=/fund/",
            "http://e.cn/%E5%9F%BA%E9%87%91/1",
        ]
    ),
    host=st.just(""),
    anchor=TEXTS,
    before=TEXTS,
    after=TEXTS,
    title=TEXTS,
)


@settings(max_examples=examples(200))
@given(st.lists(st.lists(LINKS, max_size=4), max_size=4))
def test_what_is_remembered_of_texts_never_changes_a_score(pages: list[list[Link]]) -> None:
    lexicon = Lexicon(["基金", "上市公司股票"])
    model = LinkClassifier("t", some_counts(lexicon), prior=0.3, lexicon=lexicon)
    for links in pages + pages:
        assert model.log_odds(links) == model.log_odds_of_words(words_of_links(links, PLAIN))


def test_a_model_without_its_counts_scores_and_explains_as_before() -> None:
    classifier = LinkClassifier("finance", some_counts())
    lighter = classifier.without_counts()
    assert not any(map(any, lighter.counts.words.values()))
    link = Link("http://a.test/1", "a.test", "基金", before="股票 天气")
    assert lighter.log_odds([link]) == classifier.log_odds([link]) != [0.0]
    assert lighter.explain(link) == classifier.explain(link)


def test_what_is_remembered_is_bounded_where_links_have_no_context_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A list of percent-encoded addresses without other texts: cleared with the page after the bound was passed."""
    monkeypatch.setattr("topiccrawler.link_model.classifier._MOST_PIECES", 4)
    model, kept = LinkClassifier("t", some_counts()), []
    for page in range(4):
        links = [Link(url=f"http://e.cn/%E5%9F%BA{page}{at}/", host="e.cn", anchor="基金") for at in range(3)]
        assert model.log_odds(links) == model.log_odds_of_words(words_of_links(links, PLAIN))
        kept.append(len(model._channels))
    assert kept == [3, 6, 3, 6]


def test_a_dictionary_word_reaches_over_neighbours_in_an_anchor_only() -> None:
    lexicon = Lexicon(["基金股票"])
    assert LEXICON in features_of(LinkWords(["基金", "股票"], [], []), lexicon)["anchor"]
    assert LEXICON not in features_of(LinkWords([], ["基金", "股票"], []), lexicon)["context"]
