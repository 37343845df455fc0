"""Stored pages are judged again as a crawl judges them: refused pages leave the results, others get their new relevance, and an unchanged topic
changes nothing."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from two_meanings import BASKETBALL, SPACE, texts_of

from topiccrawler.crawling.assemble import assemble, page_classifier_of, topic_of
from topiccrawler.crawling.explanation import crawl_as_json
from topiccrawler.crawling.harvest import HarvestCounter
from topiccrawler.crawling.job_files import JobFiles, read_recipe, write_recipe
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.judging import Judge, judge_again, to_fetch_again
from topiccrawler.crawling.opinions import OPINIONS, wish_of
from topiccrawler.crawling.page_filter import ANSWERED, OPINION_RIGHT
from topiccrawler.crawling.page_stores import open_pages, open_sample
from topiccrawler.crawling.past_crawl import PastCrawl
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.teaching import answered, judge_job, lessons_of
from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.model import Link, Score, Visit
from topiccrawler.pages.page_evidence import packed
from topiccrawler.pages.site_repeats import SiteRepeats
from topiccrawler.results.search import search
from topiccrawler.store.opinions import OpinionLog, StoredOpinion
from topiccrawler.store.page_store import PageStore
from topiccrawler.store.pages import ALL, PageRecord, Selection

ROCKETS, GAMES = 10, 8


def url(number: int) -> str:
    return f"http://a{number}.example/x"


def html(text: str, name: str = "火箭") -> bytes:
    text = text.replace("火箭", name)
    sentences = "".join(f"<p>{one}。</p>" for one in text.split("。") if one)
    head = f"<title>{name}：{text.split('，')[0]}</title>"
    return f"<meta charset=utf-8>{head}<body><h1>{name}</h1>{sentences}{sentences}</body>".encode()


def recipe() -> Recipe:
    return recipe_of_words(Recipe("", "breadth_first"), ["火箭"], 50)


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A job for the word 火箭 that has kept pages about rockets, then pages about a team of this name, then a copy of the last of them; and
    has not kept one about rockets by another name."""
    parts = assemble(recipe())
    files = JobFiles(tmp_path / "job", recipe(), segmenter=parts.segmenter)
    files.begin()
    reader = parts.reader(SiteRepeats())
    texts = texts_of(SPACE, ROCKETS) + texts_of(BASKETBALL, GAMES)
    records = [_record(reader.read(url(at), html(text))) for at, text in enumerate(texts)]
    records.append(
        replace(records[-1], url=url(len(records)), text="", evidence=b"", alias_of=records[-1].url)
    )
    for record in records:
        assert record.relevance >= 0.5
        files.keep(record)
        files.visits.append(Visit(record.url, 200, 1.0, record.relevance, stored=True, time=1.0))
    missed = reader.read("http://other.example/", html(texts_of(SPACE, 1, seed=9)[0], "运载器"))
    files.discarded.put(replace(_record(missed), relevance=0.2, stored=False))
    files.close()
    with SqliteFrontier(files.folder / JOB_DATABASE) as frontier:
        counter = HarvestCounter()
        for record in records:
            counter.add(kept=True, relevant=True, format="html", kind="article", copy=bool(record.alias_of))
        frontier.notes.put(HarvestCounter.NOTE, counter.note())
        frontier.commit()
    return files.folder


def _record(reading) -> PageRecord:
    page, topic = reading.page, topic_of(recipe()).name
    return PageRecord(
        url=page.url, title=page.title, text=reading.main_text, relevance=page.relevance, fetched=1.0,
        kind="article", topic=topic, evidence=packed(reading),
    )  # fmt: skip


def kept(job: Path, selection: Selection = ALL) -> list[str]:
    """The URLs of the selected pages, in the order of their names."""
    with closing(open_pages(job)) as store:
        return sorted(store.at(row).url for row in store.best(selection))


def pages(job: Path) -> list[PageRecord]:
    with closing(open_pages(job)) as store:
        return list(store.records())


NO = {url(ROCKETS + at): False for at in range(4)}


def test_an_unchanged_topic_changes_nothing(job: Path) -> None:
    before = pages(job)
    judged = judge_again(job, {})
    assert pages(job) == before
    assert (judged.pages, judged.kept, judged.refused, judged.restored, judged.found) == (18, 18, 0, 0, 0)


def test_after_four_answers_no_only_rockets_are_kept_and_found(job: Path) -> None:
    lessons = lessons_of(job)
    lessons.teach(NO)
    rockets = sorted(url(at) for at in range(ROCKETS))
    games = sorted(url(at) for at in range(ROCKETS, ROCKETS + GAMES + 1))
    assert kept(job) == rockets
    assert kept(job, Selection(refused=True)) == games  # the copy too
    assert [hit.url for hit in search([job], "篮板球", ALL, 20)] == []
    assert {hit.url for hit in search([job], "篮板球", Selection(refused=True), 20)} <= set(games)
    assert {hit.url for hit in search([job], "轨道", ALL, 20)} <= set(rockets)
    found = {one.url: one for one in pages(job)}
    assert all(found[answered].relevance <= 1 - ANSWERED for answered in NO)
    assert (lessons.judged.refused, lessons.judged.kept, lessons.judged.kept_before) == (8, 10, 18)
    reader = assemble(lessons.recipe).reader(SiteRepeats())
    for at, text in enumerate(texts_of(SPACE, ROCKETS)):  # as pages that are fetched now
        assert found[url(at)].relevance == reader.read(url(at), html(text)).page.relevance
    with SqliteFrontier(job / JOB_DATABASE) as frontier:
        note = json.loads(frontier.notes.get(HarvestCounter.NOTE))
    assert (note["kept"], note["relevant"], note["kinds"], note["copies"]) == (10, 10, {"article": 10}, 0)
    lessons_of(job).undo()
    assert kept(job) == sorted([*rockets, *games])
    assert kept(job, Selection(refused=True)) == []
    assert {hit.url for hit in search([job], "篮板球", ALL, 20)} <= set(games)
    assert search([job], "篮板球", ALL, 20) != []


def test_an_answer_about_a_copy_is_one_about_its_original(job: Path) -> None:
    copy, original = url(ROCKETS + GAMES), url(ROCKETS + GAMES - 1)
    assert lessons_of(job).known({copy: False, "http://no.example/": True}) == (
        {original: False},
        ["http://no.example/"],
    )


def test_a_person_decides_alone_about_a_page(job: Path) -> None:
    judge_again(job, {url(0): False, url(ROCKETS): True})
    found = {one.url: one for one in pages(job)}
    assert (found[url(0)].stored, found[url(0)].refused, found[url(0)].relevance) == (
        False,
        True,
        1 - ANSWERED,
    )
    assert found[url(ROCKETS)].stored
    assert found[url(ROCKETS)].relevance >= ANSWERED


def test_pages_that_were_off_topic_and_are_not_in_the_sample_are_fetched_again_if_they_may_be_kept_now(
    job: Path,
) -> None:
    """The sampled page, with .2 when it was fetched, is kept now; so may be one with .25, but not one with .1."""
    urls = {f"http://{name}.example/": at for name, at in (("other", 0.2), ("near", 0.25), ("far", 0.1))}
    files = JobFiles(job)
    with SqliteFrontier(files.database) as frontier:
        for at, relevance in urls.items():
            files.visits.append(Visit(at, 200, 0.5, relevance, stored=False, time=2.0))
            frontier.push([(Link(at, at[7:-1]), Score(at, 0.5))], now=1.0)
            assert frontier.lease(1.0) is not None
            frontier.end(at, State.DISCARDED, "off topic", 2.0)
        frontier.commit()
    assert judge_again(job, {}).queued == 0
    assert judge_again(job, {"http://other.example/": True}).queued == 1
    with SqliteFrontier(job / JOB_DATABASE) as frontier:
        assert [link.url for link in frontier.look().queued()] == ["http://near.example/"]
        assert [row.score for row in frontier.look().best(5)] == [0.5]


def test_a_page_of_the_sample_that_is_kept_now_goes_to_the_results(job: Path) -> None:
    page = "http://other.example/"
    judged = judge_again(job, {page: True})
    record = {one.url: one for one in pages(job)}[page]
    assert (record.stored, record.kind, record.language, record.relevance) == (
        True,
        "article",
        "zh-Hans",
        ANSWERED,
    )
    assert record.judged > 0
    assert judged.found == 1
    with closing(open_sample(job)) as sample:
        assert list(sample.records()) == []
    assert page in {hit.url for hit in search([job], "运载器", ALL, 20)}


def test_a_page_that_is_stored_since_it_was_sampled_keeps_its_text_and_leaves_the_sample(job: Path) -> None:
    """As one that a second opinion has kept, or that was fetched again."""
    page = "http://other.example/"
    files = JobFiles(job)
    sampled = files.discarded.get(page)
    files.keep(replace(sampled, relevance=0.95, stored=True, kind="article"))
    files.close()
    judged = judge_again(job, {page: True})
    record = {one.url: one for one in pages(job)}[page]
    assert (record.text, record.alias_of, record.stored) == (sampled.text, "", True)
    assert (judged.found, judged.pages) == (0, 19)
    with closing(open_sample(job)) as sample:
        assert list(sample.records()) == []


def test_of_two_sampled_pages_with_one_text_the_second_is_a_copy(job: Path) -> None:
    files = JobFiles(job)
    first = files.discarded.get("http://other.example/")
    files.discarded.put(replace(first, url="http://third.example/"))
    files.close()
    judged = judge_again(job, {"http://other.example/": True, "http://third.example/": True})
    found = {one.url: one for one in pages(job)}
    copies = {name: found[f"http://{name}.example/"].alias_of for name in ("other", "third")}
    assert copies == {"other": "", "third": "http://other.example/"}
    assert (judged.found, judged.gained, judged.copies) == (1, 2, 1)


def test_pages_without_evidence_are_judged_by_their_stored_fields(job: Path) -> None:
    with closing(PageStore(job / JOB_DATABASE)) as store:
        for record in list(store.records()):
            store.put(replace(record, evidence=b""))
    lessons_of(job).teach(NO)
    assert kept(job) == sorted(url(at) for at in range(ROCKETS))


def test_a_job_of_another_topic_is_judged_by_that_and_belongs_to_it(job: Path, tmp_path: Path) -> None:
    lessons_of(job).teach(NO)
    file = tmp_path / "games.toml"
    file.write_text(
        'name = "games"\nnarrow = true\nkeywords = ["篮板球", "球队", "常规赛"]\n', encoding="utf-8"
    )
    judged = judge_job(job, str(file))
    found = {one.url: one for one in pages(job)}
    games = sorted(url(ROCKETS + at) for at in range(GAMES))
    assert {one.topic for one in found.values() if one.stored} == {"games"}
    assert set(kept(job)) == {one for one in found if found[one].stored} <= {*games, url(ROCKETS + GAMES)}
    assert judged.restored == judged.kept > 4  # answers about the former topic do not count
    assert judged.refused == ROCKETS
    recipe = read_recipe(job)
    assert recipe is not None
    assert topic_of(recipe).name == "games"
    assert judge_job(job).refused == 0


def test_answers_are_kept_with_the_job(job: Path) -> None:
    lessons_of(job).teach(NO)
    assert answered(job) == NO
    assert judge_again(job, answered(job)).refused == 0  # they were refused already


def test_a_second_opinion_decides_where_no_person_has_answered(job: Path) -> None:
    wish = wish_of(topic_of(recipe()), "")
    opinions = [
        StoredOpinion(f"{at}", url(at), about, "", 2.0, asked, "tiny")
        for at, about, asked in ((0, "no", wish), (1, "no", wish), (2, "no", "another wish"))
    ]
    OpinionLog(job / OPINIONS).add(opinions)
    judged = judge_again(job, {url(1): True})
    found = {one.url: one for one in pages(job)}
    assert (found[url(0)].refused, found[url(0)].relevance) == (True, pytest.approx(1 - OPINION_RIGHT))
    assert (found[url(1)].stored, found[url(2)].stored, judged.refused) == (True, True, 1)
    assert [found[url(at)].opinion for at in range(3)] == ["no", "no", ""]
    write_recipe(
        replace(recipe(), about="篮球队"), job
    )  # another wish: the opinions on the former one count no more
    assert judge_again(job, {}).restored == 1
    assert {one.opinion for one in pages(job)} == {""}


def test_an_opinion_on_a_former_wish_is_marked_until_pages_are_judged_again(job: Path) -> None:
    wish = wish_of(topic_of(recipe()), "")
    asked = ((0, wish), (1, "篮球队"))
    OpinionLog(job / OPINIONS).add(
        [StoredOpinion(f"{at}", url(at), "yes", "", 2.0, of, "tiny") for at, of in asked]
    )
    files = JobFiles(job)
    for at, _ in asked:
        files.keep(replace(files.store.get(url(at)), opinion="yes"))
    files.close()

    def former() -> list[tuple[str, str]]:
        with closing(PastCrawl(job)) as past:
            found = [crawl_as_json(past.of(url(at)), job, past.parts)["stored"] for at, _ in asked]
        return [(one["opinion"], one["opinion_former_wish"]) for one in found]

    assert former() == [("yes", ""), ("yes", "篮球队")]
    judge_again(job, {})
    assert former() == [("yes", ""), ("", "")]


@pytest.mark.parametrize(
    ("limits", "is_kept"),
    [
        ({}, True), ({"language": ("ja",)}, False), ({"language": ("zh",)}, True),
        ({"known": "known.jsonl"}, False), ({"known": "moved.jsonl"}, True), ({"since": "2026-01-02"}, False), ({"since": "2026-01-01"}, True),
    ],
)  # fmt: skip
def test_a_sampled_page_that_the_crawl_would_not_keep_for_another_reason_is_not_kept(
    job: Path, limits: dict[str, Any], is_kept: bool
) -> None:
    files = JobFiles(job)
    sampled = replace(files.discarded.get("http://other.example/"), published="2026-01-01")
    files.discarded.put(sampled)
    files.close()
    known = job.parent / "known.jsonl"
    known.write_text(json.dumps({"text": sampled.text}), encoding="utf-8")
    if "known" in limits:
        limits = {"known": str(known.with_name(limits["known"]))}
    write_recipe(replace(recipe(), **limits), job)
    assert judge_again(job, {sampled.url: True}).found == is_kept


def test_a_page_that_asked_not_to_be_kept_is_not_restored(job: Path) -> None:
    files = JobFiles(job)
    first = files.store.get(url(0))
    files.keep(replace(first, stored=False, refused=True, refusal="noindex (meta robots)", judged=5.0))
    files.close()
    before = pages(job)
    judged = judge_again(job, {url(0): True})
    assert (judged.restored, pages(job)) == (0, before)


def test_pages_outside_of_a_full_sample_are_found_by_the_sampled_ones(job: Path) -> None:
    files = JobFiles(job, discarded=1)
    for name, relevance in (("other", 0.2), ("near", 0.25), ("far", 0.1)):
        files.visits.append(Visit(f"http://{name}.example/", 200, 0.5, relevance, stored=False, time=2.0))
    files.commit()
    judge = Judge(topic_of(recipe()), page_classifier_of(recipe()), {"http://other.example/": True})
    assert list(to_fetch_again(job, files.discarded, judge)) == [["http://near.example/"]]
    files.discarded.size = 2  # not full: it has all pages that were not kept
    assert list(to_fetch_again(job, files.discarded, judge)) == []
    files.close()
