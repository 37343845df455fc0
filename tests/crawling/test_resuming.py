import logging
from dataclasses import replace
from pathlib import Path

import pytest

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.job_files import JobFiles, read_recipe, write_recipe
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.page_stores import arguments_of
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.resuming import changes
from topiccrawler.errors import StateError

FOLDER = Path("jobs/one")
BEGUN = Recipe("finance", "naive_bayes", {"every_link": "true"}, keywords=("基金",))
OWN = 'name = "tea"\nzh = "茶"\n[keywords]\n"茶叶" = 1.0\n'


def test_the_same_call_changes_nothing_however_it_is_typed() -> None:
    same = replace(BEGUN, topic="财经", parameters={"every_link": "True"})
    assert changes(BEGUN, same, FOLDER, queued=True) == []
    plain = replace(BEGUN, parameters={})
    assert changes(plain, replace(BEGUN, parameters={"every_link": "false"}), FOLDER, queued=True) == []


def test_a_job_goes_on_with_the_pages_that_it_wants(tmp_path: Path) -> None:
    wanted = {"since": "2026-01-31", "known": str(tmp_path / "旧"), "language": ("zh", "ja")}
    write_recipe(replace(BEGUN, **wanted), tmp_path)
    found = arguments_of(tmp_path)
    assert {name: found[name] for name in wanted} == {**wanted, "language": "zh,ja"}


@pytest.mark.parametrize("queued", [True, False])
def test_another_topic_is_refused(queued: bool) -> None:
    line = r"^folder jobs/one: .* 'finance'.* 'travel'.* -a topic=finance\b.*JOBDIR or TOPIC_JOB$"
    with pytest.raises(StateError, match=line):
        changes(BEGUN, replace(BEGUN, topic="travel"), FOLDER, queued=queued)


def test_topics_of_words_are_named_by_them_and_the_advice_works() -> None:
    exam, heavier = (
        assemble(recipe_of_words(Recipe("", "breadth_first"), words)).record()
        for words in (["考研", "高考"], ["考研", "高考:2"])
    )
    line = r"'考研、高考'.* 'travel'.* -a 'keywords=考研,高考'.*JOBDIR or TOPIC_JOB$"
    with pytest.raises(StateError, match=line):
        changes(exam, replace(BEGUN, topic="travel"), FOLDER, queued=True)
    line = rf"'考研、高考 \({exam.topic}\)'.* '考研、高考 \({heavier.topic}\)'"
    with pytest.raises(StateError, match=line):
        changes(exam, heavier, FOLDER, queued=True)


@pytest.mark.parametrize(
    ("other", "asked"),
    [
        (replace(BEGUN, parameters={}), "-a strategy=naive_bayes"),
        (replace(BEGUN, strategy="best_first", parameters={}), "-a strategy=best_first"),
    ],
)
def test_another_strategy_is_refused_where_its_queue_lies(other: Recipe, asked: str) -> None:
    begun = "-a strategy=naive_bayes -a strategy_every_link=True"
    with pytest.raises(StateError, match=f"^{asked}: .* {begun}; "):
        changes(BEGUN, other, FOLDER, queued=True)
    assert changes(BEGUN, other, FOLDER, queued=False) == [f"{begun} -> {asked}"]


def test_a_users_topic_is_known_by_its_name_though_its_file_changed(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(OWN, encoding="utf-8")
    write_recipe(assemble(Recipe(str(own), "breadth_first")).record(), tmp_path)
    kept = read_recipe(tmp_path)
    assert kept is not None
    assert changes(kept, assemble(Recipe(str(own), "breadth_first")).record(), tmp_path, queued=True) == []
    own.write_text(OWN + '"红茶" = 1.0\n', encoding="utf-8")
    now = assemble(Recipe(str(own), "breadth_first")).record()
    [changed] = changes(kept, now, tmp_path, queued=True)
    assert changed.endswith(f" {own}")
    own.write_text(OWN.replace("tea", "wine"), encoding="utf-8")
    with pytest.raises(StateError, match=r"'tea'.*'wine'"):
        changes(kept, assemble(Recipe(str(own), "breadth_first")).record(), tmp_path, queued=True)


def test_a_job_that_goes_on_tells_its_changes_and_keeps_them(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_recipe(BEGUN, tmp_path)
    now = replace(BEGUN, link_threshold=0.4)
    for reported in ([(f"Job {tmp_path}", "link_threshold None -> 0.4")], []):
        files = JobFiles(tmp_path, now)
        files.check(queued=True)
        with caplog.at_level(logging.WARNING):
            files.begin()
        files.close()
        assert [
            (line[: len(f"Job {tmp_path}")], line.rpartition(": ")[2]) for line in caplog.messages
        ] == reported
        caplog.clear()
        assert read_recipe(tmp_path) == now
