"""Which words pages teach a topic: those of sure pages of several sites, never a site's own."""

from __future__ import annotations

from topiccrawler.relevance.training.growth import (
    LONGEST_WORD,
    SHARE,
    WORDS_OF_A_PAGE,
    Lesson,
    Lessons,
    telling_words,
)

OWN = frozenset({"茶叶"})
THRESHOLD = 0.15


def lessons(most: int = 1000) -> Lessons:
    """Five sites with pages about tea, all of which say 龙井, and pages off topic, which say 足球."""
    found = Lessons(most)
    for number in range(40):
        site = f"s{number % 5}.example"
        found.add(Lesson(site, 0.5, 0.5, ["茶叶", "龙井", "问候"]))
        found.add(Lesson(site, 0.0, 0.5, ["足球", "问候"]))
    return found


def test_a_word_that_only_sure_pages_hold_is_learned_with_its_witnesses() -> None:
    grown = lessons().grown(OWN, THRESHOLD, near=frozenset())
    assert list(grown) == ["龙井"]  # the topic has 茶叶, all pages say 问候, 足球 is off topic
    assert (grown["龙井"].weight, grown["龙井"].pages, grown["龙井"].sites) == (SHARE, 40, 5)


def test_a_word_of_fewer_sites_must_be_near_the_topic() -> None:
    found = lessons()
    for number in range(30):
        found.add(Lesson(f"s{number % 3}.example", 0.5, 0.5, ["茶叶", "乌龙", "会员"]))
    assert set(found.grown(OWN, THRESHOLD, near=frozenset({"乌龙"}))) == {"龙井", "乌龙"}


def test_a_site_does_not_become_the_topic_by_its_many_pages() -> None:
    found = lessons()
    for _ in range(400):
        found.add(Lesson("loud.example", 0.5, 0.5, ["茶叶", "相册", "首页"]))
    assert set(found.grown(OWN, THRESHOLD, near=frozenset({"相册"}))) == {"龙井"}


def test_a_link_that_looked_good_makes_a_page_surer() -> None:
    unsure = Lessons(100)
    for number in range(50):
        good = number % 2
        words = ["茶叶", "龙井" if good else "足球"]
        unsure.add(Lesson(f"s{number % 10 // 2}.example", THRESHOLD, float(good), words))
    assert list(unsure.grown(OWN, THRESHOLD, near=frozenset({"龙井", "足球"}))) == ["龙井"]


def test_the_oldest_page_leaves_and_its_words_are_forgotten() -> None:
    found = lessons(most=80)
    for number in range(80):
        found.add(Lesson(f"s{number % 5}.example", 0.5 if number % 2 else 0.0, 0.5, ["红茶"]))
    assert len(found) == 80
    assert found.count == 160
    assert "龙井" not in found.grown(OWN, THRESHOLD, near=frozenset({"龙井"}))
    assert Lessons(5).grown(OWN, THRESHOLD, frozenset()) == {}


def test_a_page_is_known_by_its_own_words_and_the_telling_ones() -> None:
    many = {f"词{number}": 1.0 for number in range(WORDS_OF_A_PAGE)}
    words = telling_words({"茶叶": 1.0, "的": 9.0, "2024": 9.0, "长" * (LONGEST_WORD + 1): 9.0, **many}, OWN)
    assert words[0] == "茶叶"
    assert not {"的", "2024"} & set(words)
    assert len(words) == 1 + WORDS_OF_A_PAGE
