"""Trained page classifiers against scikit-learn, and against what a small made-up corpus must teach."""

import random

import pytest
from sklearn.feature_extraction import DictVectorizer
from sklearn.naive_bayes import MultinomialNB

from topiccrawler.errors import LinksFileError
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.linear import LinearClassifier, counts_of, is_pair
from topiccrawler.relevance.training.train import Plan, Sample, check, train_page_classifier
from topiccrawler.topics.topic import make_topic

FINANCE = ["基金", "股票", "银行", "利率", "债券", "净值"]
OTHERS = {"sports": ["足球", "篮球", "比赛", "教练"], "travel": ["酒店", "景点", "机票", "旅游"]}
COMMON = ["今天", "消息", "报道", "城市", "市场", "我们", "2015"]
TOPIC = make_topic({"name": "finance", "keywords": {"基金": 1.0, "股票": 0.8}}, "test")


def corpus(size: int = 40, seed: int = 3) -> list[Sample]:
    chance = random.Random(seed)
    samples = []
    for _ in range(size):
        for label, own in (("finance", FINANCE), *OTHERS.items()):
            words = chance.choices(own, k=6) + chance.choices(COMMON, k=14)
            title = chance.sample(own, 1)
            samples.append(Sample(PageWords(title=title, body=words), label == "finance", label))
    return samples


def plan(page_classifier: str, **fields: object) -> Plan:
    return Plan(page_classifier, TOPIC, corpus(), {"finance": TOPIC.keywords}, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("page_classifier", ["vsm", "naive_bayes", "svm"])
def test_every_page_classifier_learns_what_a_synthetic_corpus_teaches(page_classifier: str) -> None:
    trained = train_page_classifier(plan(page_classifier))
    assert trained.held_out.f1 >= 0.95
    assert trained.held_out.samples == 40
    assert 0.0 < trained.page_classifier.similarity_threshold < 1.0
    about = PageWords(title=["债券"], body=["净值", "利率", "今天", "消息"] * 3)
    other = PageWords(title=["足球"], body=["比赛", "教练", "今天", "消息"] * 3)
    classifier = trained.page_classifier
    assert classifier.relevance(about) >= classifier.threshold > classifier.relevance(other)
    assert {word for word, part in classifier.explain(about)[:3] if part > 0} == {"债券", "净值", "利率"}


def test_naive_bayes_gives_the_log_odds_of_scikit_learn() -> None:
    """Multinomial, Laplace, on the same weighed counts and the documents made of keywords left out."""
    samples = corpus()
    page_classifier = train_page_classifier(Plan("naive_bayes", TOPIC, samples, {})).page_classifier
    assert isinstance(page_classifier, LinearClassifier)
    counts = [dict(counts_of(sample.words, title_apart=False)) for sample in samples]
    vectors = DictVectorizer()
    oracle = MultinomialNB().fit(vectors.fit_transform(counts), [sample.positive for sample in samples])
    page = PageWords(title=["基金", "足球"], headings=["市场"], body=["今天", "利率", "没见过"])
    row = vectors.transform([dict(counts_of(page, title_apart=False))])
    negative, positive = oracle.predict_joint_log_proba(row)[0]
    assert page_classifier.log_odds(page) == pytest.approx(positive - negative, abs=1e-9)
    mean = (positive - negative) / (5 + 5 + 2 + 1 + 1)
    assert page_classifier.margin(page) == pytest.approx(mean, abs=1e-9)


def test_an_asked_precision_moves_the_threshold_up_or_leaves_it() -> None:
    samples = corpus()
    noisy = [Sample(s.words, s.positive != (n % 9 == 0), s.label) for n, s in enumerate(samples)]
    best = train_page_classifier(Plan("naive_bayes", TOPIC, noisy, {})).page_classifier
    sure = train_page_classifier(Plan("naive_bayes", TOPIC, noisy, {}, precision=0.95)).page_classifier
    assert sure.similarity_threshold > best.similarity_threshold


@pytest.mark.parametrize("page_classifier", ["vsm", "naive_bayes", "svm"])
def test_documents_without_words_are_refused_in_one_line(page_classifier: str) -> None:
    empty = [Sample(PageWords(), n % 2 == 0, "finance") for n in range(60)]
    with pytest.raises(LinksFileError, match=r"'finance': no word is in two of them; "):
        train_page_classifier(Plan(page_classifier, TOPIC, empty, {}))


@pytest.mark.parametrize("positive_too", [1, 4])
@pytest.mark.parametrize("page_classifier", ["vsm", "naive_bayes", "svm"])
def test_a_page_of_unknown_words_is_not_relevant_however_many_documents_were(
    page_classifier: str, positive_too: int
) -> None:
    samples = corpus() + [sample for sample in corpus(seed=5) if sample.positive] * positive_too
    trained = train_page_classifier(Plan(page_classifier, TOPIC, samples, {"finance": TOPIC.keywords}))
    for page in (PageWords(), PageWords(title=["hello"], body=["hello", "world"] * 20)):
        assert trained.page_classifier.relevance(page) == 0.0
        assert trained.page_classifier.similarity(page) == 0.0
        assert trained.page_classifier.explain(page) == []


def test_fewer_words_are_those_the_page_classifier_leans_on_most() -> None:
    page_classifier = train_page_classifier(plan("naive_bayes", most_words=8)).page_classifier
    assert isinstance(page_classifier, LinearClassifier)
    assert len(page_classifier.words) == 8
    assert set(page_classifier.words) <= {*FINANCE, *OTHERS["sports"], *OTHERS["travel"]}


def test_too_few_documents_are_refused_in_one_line() -> None:
    with pytest.raises(LinksFileError, match=r"5 .* 10 .* 12"):
        check(Plan("svm", TOPIC, corpus(5), {}))


def test_the_svm_reads_neighbours_and_the_topics_word_lists() -> None:
    page_classifier = train_page_classifier(plan("svm")).page_classifier
    assert isinstance(page_classifier, LinearClassifier)
    assert page_classifier.lists.lists == {"finance": {"基金": 1.0, "股票": 0.8}}
    assert "list:finance" in page_classifier.words
    assert any(is_pair(word) for word in page_classifier.words)
    row = page_classifier.words["list:finance"]
    assert page_classifier.values[row, 0] > max(page_classifier.values[row, 1:])
