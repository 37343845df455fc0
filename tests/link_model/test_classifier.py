"""The classifier: scores by hand, explanation, bounds, and its agreement with scikit-learn."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_profiles import examples
from sklearn.naive_bayes import BernoulliNB

from topiccrawler.link_model.classifier import (
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


def test_fields_are_trusted_as_configured() -> None:
    model = LinkClassifier("t", some_counts(), trust={"anchor": 1.0, "context": 0.5, "url": 0.25})
    score = model.log_odds_of_words([LinkWords(["基金"], ["足球"], ["fund"])])[0]
    assert score == pytest.approx(math.log(2) + 0.5 * math.log(2) + 0.25 * math.log(2))


def test_an_explanation_adds_up_to_the_score_largest_first() -> None:
    lexicon = Lexicon(["基金"])
    model = LinkClassifier("t", some_counts(lexicon), prior=0.3, lexicon=lexicon)
    link = Link("http://fund.example/", "fund.example", "基金与足球", before="旅游", after="股票")
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
    links = [LinkWords(text, [], []) for text in texts]
    counts = trained(list(zip(links, truth, strict=True)))
    model = LinkClassifier("t", counts, prior=sum(truth) / 60, trust={"anchor": 1.0})
    assert model.log_odds_of_words(links) == pytest.approx(list(expected))


TEXTS = st.text(alphabet=st.sampled_from("基金股票足球旅游上市公司的|，。 a1"), max_size=14)
LINKS = st.builds(
    Link,
    url=st.sampled_from(
        ["http://fund.example/news/1.html", "http://www.trip.cn/", "http://x.example/a?u=/fund/", "http://e.cn/%E5%9F%BA%E9%87%91/1"]
    ),
    host=st.just(""), anchor=TEXTS, before=TEXTS, after=TEXTS, title=TEXTS,
)  # fmt: skip


@settings(max_examples=examples(200))
@given(st.lists(st.lists(LINKS, max_size=4), max_size=4))
def test_what_is_remembered_of_texts_never_changes_a_score(pages: list[list[Link]]) -> None:
    lexicon = Lexicon(["基金", "上市公司股票"])
    model = LinkClassifier("t", some_counts(lexicon), prior=0.3, lexicon=lexicon)
    for links in pages + pages:
        assert model.log_odds(links) == model.log_odds_of_words(words_of_links(links, PLAIN))
