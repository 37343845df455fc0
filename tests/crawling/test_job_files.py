"""The recipe a job keeps: it comes back as it was, and what cannot be trusted is refused in one line."""

import json
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from message_facts import one_line
from page_records import PAGE
from postgresql_server import PostgresqlServer

from topiccrawler.cluster.postgresql.writing import CrawlPages
from topiccrawler.crawling.assemble import assemble, topic_of
from topiccrawler.crawling.job_files import JOB, OF_JOBDIR, JobFiles, read_recipe, write_recipe
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Pushed
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link, Score, Visit
from topiccrawler.pages.site_repeats import Fingerprint
from topiccrawler.store.page_checks import Check

OWN = 'name = "own"\nkeywords = ["基金", "股票"]\n[sites."a.example"]\ntext = "article"\n'


def test_a_recipe_comes_back_as_it_was(tmp_path: Path) -> None:
    recipe = Recipe(
        "finance",
        "shark_search",
        {"gamma": "0.5"},
        keywords=("理财",),
        link_threshold=0.5,
        off_topic=("http://a.example/",),
    )
    write_recipe(recipe, tmp_path)
    assert read_recipe(tmp_path) == recipe
    assert read_recipe(tmp_path / "elsewhere") is None


def test_a_users_topic_goes_along_and_outlives_its_file(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(OWN, encoding="utf-8")
    parts = assemble(Recipe(str(own), "best_first"))
    write_recipe(parts.record(), tmp_path)
    own.unlink()
    kept = read_recipe(tmp_path)
    assert kept is not None
    assert topic_of(kept) == parts.topic
    assert assemble(Recipe("finance", "best_first")).record().topic_fields is None


def test_the_folder_is_made_when_the_crawl_begins(tmp_path: Path) -> None:
    files = JobFiles(tmp_path / "job", Recipe("finance"))
    assert not (tmp_path / "job").exists()
    files.begin()
    assert read_recipe(tmp_path / "job") == Recipe("finance")
    files.close()


def test_a_job_is_a_few_files(tmp_path: Path) -> None:
    files = JobFiles(tmp_path / "job", recipe_of_words(Recipe("", "best_first"), ["考研"]), discarded=5)
    files.begin()
    files.keep(PAGE)
    files.discarded.add(replace(PAGE, url="http://off.cn/", stored=False))
    files.html.put(PAGE.url, b"<p>", 1.0)
    files.visits.append(Visit(PAGE.url, 200, 1.0, 1.0, stored=True, time=1.0))
    files.outlinks.put(PAGE.url, ["http://b.cn/"])
    files.checks.put(Check(PAGE.url, 1.0))
    files.refused.add([Link(f"http://c.cn/{number}", "c.cn") for number in range(64)], [0.1] * 64, 1.0)
    assert files.duplicates.first_of(PAGE.url, Fingerprint(1, b"")) is None
    files.close()
    assert sorted(path.name for path in files.folder.iterdir()) == [
        "job.json",
        "job.sqlite",
        "job.sqlite.lock",
        "pages.warc.gz",
        "topic.toml",
    ]


def test_jobs_of_one_name_have_folders_of_their_own_unless_it_was_given(tmp_path: Path) -> None:
    place = tmp_path / "data" / "finance-20300101-120000-7"
    folders = [JobFiles(place, shared=False).folder for _ in range(3)]
    assert [folder.name for folder in folders] == [place.name, f"{place.name}-2", f"{place.name}-3"]
    assert all(folder.is_dir() for folder in folders)
    assert not JobFiles(place, shared=False).resumes
    files_of_two = [JobFiles(tmp_path / "job") for _ in range(2)]
    assert not files_of_two[0].resumes
    assert files_of_two[0].folder == files_of_two[1].folder == tmp_path / "job"
    assert files_of_two[1].resumes


def test_a_run_that_begins_anew_drops_the_queue_and_what_was_learned_and_keeps_pages_and_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files = JobFiles(tmp_path / "job", Recipe("finance"))
    frontier = SqliteFrontier(files.database)
    seed = Link("http://a.cn/", "a.cn")
    frontier.push(
        [(seed, Score(seed.url, 1.0)), (seed._replace(url="http://a.cn/2"), Score("http://a.cn/2", 1.0))],
        now=0.0,
    )
    frontier.notes.put("harvest", '{"pages": 3}')
    files.store.put(PAGE)
    files.visits.append(Visit(seed.url, 200, 1.0, 0.5, True, 1.0))
    files.close()
    again = JobFiles(tmp_path / "job", Recipe("finance"))
    again.begin_anew()
    assert "2 URLs that wait" in caplog.text
    assert f"-s JOBDIR={tmp_path / 'job'}" in caplog.text
    with SqliteFrontier(again.database) as anew:
        assert (anew.look().waiting(), anew.notes.get("harvest")) == (0, None)
        assert anew.push([(seed, Score(seed.url, 1.0))], now=0.0)[Pushed.NEW] == 1
        assert ([record.url for record in again.store.records()], again.visits.last()) == ([PAGE.url], 1)


def test_the_queue_of_a_jobdir_is_not_dropped_while_urls_wait(tmp_path: Path) -> None:
    files = JobFiles(tmp_path / "job", Recipe("finance"))
    frontier = SqliteFrontier(files.database)
    frontier.push([(Link("http://a.cn/", "a.cn"), Score("http://a.cn/", 1.0))], now=0.0)
    frontier.notes.put(OF_JOBDIR, "yes")
    files.close()
    with pytest.raises(StateError, match=one_line("1 URLs wait .* -s JOBDIR=.*another TOPIC_JOB")):
        JobFiles(tmp_path / "job", Recipe("finance")).begin_anew()
    with closing(JobFiles(tmp_path / "job")) as again, SqliteFrontier(again.database) as kept:
        assert kept.look().waiting() == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "is damaged"),
        ("[]", "is damaged"),
        ('{"topic": "finance", "growth": true}', "growth: "),
        ('{"topic": 5}', "topic: "),
        ('{"name": "finance", "dependencies": {}}', "topic: "),
        ('{"topic": "finance", "seed": "soon"}', "seed: "),
    ],
)
def test_a_damaged_recipe_is_one_line(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / JOB).write_text(text, encoding="utf-8")
    with pytest.raises(StateError) as failure:
        read_recipe(tmp_path)
    said = str(failure.value)
    assert said.startswith(f"{tmp_path / JOB}: ")
    assert re.search(fault, said)
    assert "\n" not in said


def test_what_is_kept_is_plain_json(tmp_path: Path) -> None:
    write_recipe(Recipe("财经", "adaptive"), tmp_path)
    kept = json.loads((tmp_path / JOB).read_text(encoding="utf-8"))
    assert (kept["topic"], kept["strategy"]) == ("财经", "adaptive")


def test_a_job_in_a_database_names_its_words_and_the_argument_that_goes_on(
    postgresql_server: PostgresqlServer, tmp_path: Path
) -> None:
    exam, name = recipe_of_words(Recipe("", "breadth_first"), ["考研", "高考"]), uuid4().hex

    def opened(recipe: Recipe, folder: str) -> JobFiles:
        kept_in = CrawlPages(postgresql_server.url(), name, topic_of(recipe).name)
        stored = replace(recipe, store=kept_in.address, store_job=name)
        return JobFiles(tmp_path / folder, stored, kept_in=kept_in)

    first, other = opened(exam, "first"), opened(Recipe("travel", "breadth_first"), "other")
    try:
        first.check(queued=False)
        first.begin()
        line = r"'考研、高考'.* 'travel'.* -a 'keywords=考研,高考'.*TOPIC_JOB$"
        with pytest.raises(StateError, match=line):
            other.check(queued=False)
    finally:
        for files in (first, other):
            files.abandon()
