"""The thesaurus of subjects: which further words a user's words bring, and how the shipped list is written."""

import pytest

from topiccrawler.pages.read import PageWords
from topiccrawler.pages.site_repeats import Kind, with_words
from topiccrawler.relevance.evidence import FEATURES, EvidenceClassifier
from topiccrawler.resources import package_text
from topiccrawler.text.segmenter import PLAIN
from topiccrawler.topics import subjects
from topiccrawler.topics.catalogue import topic_from_keywords
from topiccrawler.topics.meaning import naming_terms, understood
from topiccrawler.topics.subjects import FILES, NAME, NARROWER, terms_for, written

LINES = """篮球, basketball, hoops; NBA, CBA, 灌篮, 篮球鞋
NBA, 美职篮; 湖人队, 勇士队, NBA选秀
苹果, iPhone; 库克, App Store
苹果, 红富士; 果园, 嘎啦果
dating, courtship; speed dating, blind dates
concurrency, thread safety; mutexes, lock-free, race condition
parallel work; thread pool, mutex, lock-free queue
"""


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subjects, "package_text", lambda _: LINES)
    subjects._terms_for.cache_clear()
    yield
    subjects._terms_for.cache_clear()


@pytest.mark.usefixtures("listed")
def test_a_name_brings_other_names_and_narrower_terms_but_not_the_terms_of_these() -> None:
    found = {term.word: (term.share, term.subject) for term in terms_for(["篮球"])}
    assert found == {
        "basketball": (NAME, "篮球"),
        "hoops": (NAME, "篮球"),
        "NBA": (NARROWER, "篮球"),
        "CBA": (NARROWER, "篮球"),
        "灌篮": (NARROWER, "篮球"),  # 篮球鞋 has the word in it
    }


@pytest.mark.usefixtures("listed")
def test_a_narrower_term_does_not_bring_its_subject_and_spellings_are_one_word() -> None:
    assert [term.word for term in terms_for(["ｎｂａ"])] == ["美职篮", "湖人队", "勇士队"]
    assert {term.word for term in terms_for(["籃球"])} >= {"basketball", "灌篮"}
    assert {term.word for term in terms_for(["Basketballs"])} >= {"篮球", "灌篮"}
    assert terms_for(["湖人队"]) == ()
    assert terms_for([]) == terms_for(["没有的词"]) == ()


@pytest.mark.usefixtures("listed")
def test_of_two_subjects_of_one_name_that_counts_to_which_more_words_belong() -> None:
    assert {term.word for term in terms_for(["苹果", "库克"])} == {"iPhone", "App Store"}
    assert {term.word for term in terms_for(["苹果", "嘎啦果"])} == {"红富士", "果园"}
    both = {term.word for term in terms_for(["苹果"])}
    assert both == {"iPhone", "App Store", "库克", "红富士", "果园", "嘎啦果"}


@pytest.mark.usefixtures("listed")
def test_where_no_word_names_a_subject_those_count_in_which_all_occur_first_in_names() -> None:
    found = {term.word: term.share for term in terms_for(["threads", "mutex", "lock"])}
    assert found == {"concurrency": NARROWER, "race condition": NARROWER}  # the others have a word in them
    assert terms_for(["thread"]) == terms_for(["thread", "basket"]) == ()
    assert terms_for(["blind", "speed"]) == ()  # in no name
    assert {term.subject for term in terms_for(["concurrency", "lock", "pool"])} == {"concurrency"}
    assert terms_for(["date", "time"]) == ()  # of one stem with dating
    assert terms_for(["Speed-dating"]) == ()
    assert [term.word for term in terms_for(["courtships"])] == ["dating", "speed dating", "blind dates"]


@pytest.mark.usefixtures("listed")
def test_a_term_counts_by_its_share_where_names_stand_and_not_in_the_text() -> None:
    topic = understood(topic_from_keywords(["篮球"], "own"))
    assert naming_terms(topic)["灌篮"] == NARROWER
    classifier = EvidenceClassifier(topic, dict.fromkeys(("bias", *FEATURES), 0.0))

    def features(kind: Kind, text: str) -> dict[str, float]:
        found = classifier.observe(PageWords(segments=with_words([(kind, text)], PLAIN)))
        return dict(zip(FEATURES, classifier.features(found), strict=True))

    title = features("title", "灌篮")
    assert (title["title"], title["title words"], title["title near"]) == (NARROWER, NARROWER, 0.0)
    assert features("heading", "灌篮 CBA")["headings"] == pytest.approx(2 * NARROWER)
    text = features("text", "灌篮 灌篮")
    assert (text["count"], text["words"], text["density"]) == (0.0, 0.0, 0.0)
    less = EvidenceClassifier(topic.model_copy(update={"trust": {"灌篮": 0.5}}))
    assert less.near["灌篮"] == pytest.approx(0.5 * NARROWER)
    none = EvidenceClassifier(topic.model_copy(update={"trust": {"灌篮": 0.0}}))
    dunk = PageWords(segments=with_words([("title", "灌篮 集锦")], PLAIN))
    assert none.relevance(dunk) < less.relevance(dunk) < EvidenceClassifier(topic).relevance(dunk)
    other = PageWords(segments=with_words([("title", "无关 集锦")], PLAIN))
    assert none.relevance(dunk) == none.relevance(other)


@pytest.mark.parametrize(
    ("one", "many"),
    [("battery", "Batteries"), ("movie", "movies"), ("virus", "viruses"), ("database", "databases"), ("class", "classes"),
     ("branch", "branches")],
)  # fmt: skip
def test_a_word_and_its_plural_are_one(one: str, many: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, asked in ((one, many), (many, one)):
        monkeypatch.setattr(subjects, "package_text", lambda _, name=name: f"{name}, other; narrower term")
        subjects._terms_for.cache_clear()
        assert [term.word for term in terms_for([asked])] == ["other", "narrower term"]
    subjects._terms_for.cache_clear()


@pytest.mark.parametrize(
    ("one", "other"),
    [("io", "ios"), ("pypi", "PyPy"), ("cod", "code"), ("date", "dating"), ("clas", "class")],
)
def test_words_that_only_look_alike_are_two(one: str, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subjects, "package_text", lambda _: f"{other}, another; narrower term")
    subjects._terms_for.cache_clear()
    assert terms_for([one]) == ()
    subjects._terms_for.cache_clear()


def test_https_is_no_plural_of_http() -> None:
    assert "certbot" in {term.word for term in terms_for(["HTTPS"])}
    assert "certbot" not in {term.word for term in terms_for(["HTTP"])}


@pytest.mark.parametrize("more", [0, 20])
def test_words_are_found_as_they_are_written(more: int) -> None:
    pattern = written(["围棋", "C++", "sail", "puppy", *(f"词{number}" for number in range(more))])
    assert all(pattern.search(text) for text in ("学围棋", "a c++ b", "sails", "puppies", "puppy"))
    assert not any(pattern.search(text) for text in ("assail", "sailor", "棋围"))


@pytest.mark.parametrize("file", FILES)
def test_a_shipped_list_is_well_formed(file: str) -> None:
    for number, line in enumerate(package_text(file).splitlines(), start=1):
        names, mark, narrower = line.partition("; ")
        assert mark, number
        for side in (names, narrower):
            words = side.split(", ")
            assert all(word == word.strip() and len(word) > 1 and ";" not in word for word in words), number
            assert len(words) == len(set(words)), number
