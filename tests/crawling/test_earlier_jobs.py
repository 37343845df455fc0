"""Jobs that were begun when relevance was a similarity and vsm classified topics of a few words too."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from topiccrawler.crawling.assemble import assemble, kept_from, page_classifier_of, topic_of
from topiccrawler.crawling.harvest import visit_similarity
from topiccrawler.crawling.job_files import JOB, VISITS, JobFiles, read_recipe, write_recipe
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.page_stores import as_begun
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.teaching import TEACHING, with_teaching
from topiccrawler.model import Visit
from topiccrawler.relevance.evidence import EvidenceClassifier

WORDS = ("考研", "高考", "志愿")
NOW = 1_000.0
Begun = Callable[..., Path]


def as_earlier(fields: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in fields.items() if name not in {"narrow", "within"}}


@pytest.fixture
def begun(tmp_path: Path) -> Begun:
    """The folder of a job of that recipe as an earlier version wrote it, with one page fetched."""

    def make(recipe: Recipe, *, fetched: bool = True) -> Path:
        folder = tmp_path / "job"
        files = JobFiles(folder, assemble(replace(recipe, link_models="none")).record())
        files.begin()
        if fetched:
            files.visits.append(Visit("http://a.cn/", 200, 20.0, 0.3, stored=True, time=10.0))
        files.close()
        kept = json.loads((folder / JOB).read_text(encoding="utf-8"))
        del kept["relevance_since"]
        if kept["topic_fields"] is not None:
            kept["topic_fields"] = as_earlier(kept["topic_fields"])
        (folder / JOB).write_text(json.dumps(kept), encoding="utf-8")
        return folder

    return make


def of_words(*, is_understood: bool = True) -> Recipe:
    return recipe_of_words(Recipe("", "breadth_first"), WORDS, 50, is_understood=is_understood)


def test_a_job_without_the_field_is_judged_by_all_its_words(begun: Begun) -> None:
    recipe = read_recipe(begun(of_words(is_understood=False)))
    assert recipe is not None
    assert recipe.relevance_since is None
    assert topic_of(recipe).narrow is None
    classifier = page_classifier_of(recipe)
    assert isinstance(classifier, EvidenceClassifier)
    assert not classifier.topic.narrow
    assert kept_from(recipe, classifier) == classifier.similarity_threshold == 0.15
    assert kept_from(replace(recipe, relevance_since=NOW), classifier) == 0.5
    assert topic_of(of_words()).narrow, "one that begins now"


def test_it_goes_on_so_with_the_same_words_and_one_warning(
    begun: Begun, caplog: pytest.LogCaptureFixture
) -> None:
    folder = begun(of_words(is_understood=False))
    kept = read_recipe(folder)
    assert kept is not None
    recipe = as_begun(of_words(), folder, NOW, WORDS, 50)
    assert recipe.relevance_since == NOW
    assert topic_of(recipe) == topic_of(kept)
    (said,) = caplog.messages
    assert said.startswith(f"{folder} ")
    assert said.endswith(" .5")
    write_recipe(assemble(replace(recipe, link_models="none")).record(), folder)
    caplog.clear()
    again = as_begun(of_words(), folder, 2 * NOW, WORDS, 50)
    assert (again.relevance_since, topic_of(again)) == (NOW, topic_of(kept)), (
        "since the first run of this version"
    )
    assert caplog.messages == []


def test_so_does_one_of_a_topic_file_as_the_file_is_now(begun: Begun, tmp_path: Path) -> None:
    file = tmp_path / "exam.toml"
    file.write_text('name = "exam"\nkeywords = ["考研", "高考"]\n', encoding="utf-8")
    now = Recipe(str(file), "breadth_first")
    assert topic_of(now).narrow
    folder = begun(now)
    file.write_text('name = "exam"\nkeywords = ["考研", "高考", "志愿"]\n', encoding="utf-8")
    topic = topic_of(as_begun(now, folder, NOW))
    assert (topic.narrow, list(topic.keywords)) == (None, ["考研", "高考", "志愿"])


def test_a_topic_of_the_catalogue_is_the_same_but_for_the_scale(begun: Begun) -> None:
    folder = begun(Recipe("finance", "breadth_first"))
    recipe = as_begun(Recipe("finance", "breadth_first"), folder, NOW)
    assert recipe == replace(Recipe("finance", "breadth_first"), relevance_since=NOW)


def test_new_jobs_and_jobs_that_fetched_nothing_begin_anew(
    begun: Begun, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert as_begun(of_words(), tmp_path / "none", NOW, WORDS) == of_words()
    assert as_begun(of_words(), begun(of_words(), fetched=False), NOW, WORDS) == of_words()
    write_recipe(of_words(), tmp_path / "job")
    (tmp_path / "job" / VISITS).write_text("", encoding="utf-8")
    assert as_begun(of_words(), tmp_path / "job", NOW, WORDS) == of_words()
    assert caplog.messages == []


def test_what_an_earlier_version_was_taught_is_used(begun: Begun, caplog: pytest.LogCaptureFixture) -> None:
    folder = begun(of_words(is_understood=False))
    kept = read_recipe(folder)
    assert kept is not None
    base = topic_of(kept).model_dump()
    taught = {**base, "keywords": {**base["keywords"], "研究生": 0.9}}
    step = {"answers": {"http://a.cn/": True}, "topic": as_earlier(taught), "strategy_topic": None}
    teaching = {"version": 1, "base": as_earlier(base), "steps": [step]}
    (folder / TEACHING).write_text(json.dumps(teaching), encoding="utf-8")
    recipe = with_teaching(as_begun(of_words(), folder, NOW, WORDS, 50), folder)
    assert topic_of(recipe).keywords["研究生"] == 0.9
    assert not any(TEACHING in message for message in caplog.messages)


def test_the_similarity_of_a_page_is_read_on_the_scale_of_its_time() -> None:
    """.3 was a similarity at the time 10; since 1000 it is that of .14 · (.3 / .7)^(1/3)."""
    visit = Visit("http://a.cn/", 200, 20.0, 0.3, stored=True, time=10.0)
    assert visit_similarity(visit, 0.14, NOW) == visit_similarity(visit, 0.14, None) == 0.3
    assert visit_similarity(replace(visit, time=NOW), 0.14, NOW) == pytest.approx(0.14 * (3 / 7) ** (1 / 3))
