"""What a job's stored pages say of its topic, as `topics teach` reads them."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from topiccrawler.crawling.assemble import topic_of
from topiccrawler.crawling.job_files import JobFiles, read_recipe, write_recipe
from topiccrawler.crawling.job_topic import as_toml
from topiccrawler.crawling.page_stores import arguments_of
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.resuming import changes
from topiccrawler.crawling.teaching import (
    TEACHING,
    lessons_of,
    with_teaching,
)
from topiccrawler.errors import ArgumentError
from topiccrawler.model import Visit
from topiccrawler.store.pages import PageRecord
from topiccrawler.topics.topic import make_topic, read_topic

FIELDS = {"name": "sky", "keywords": {"台风": 1.0}, "given": ["台风"], "narrow": True}


def record(number: int, relevance: float, title: str = "", host: str = "a.example") -> PageRecord:
    text = f"台风 第{number}号 登陆"
    return PageRecord(
        url=f"http://{host}/{number}", title=title, text=text, relevance=relevance, fetched=number
    )


def test_taught_fields_are_in_the_topic_file() -> None:
    taught = {"trust": {"台风": 0.4}, "near": {"风球": 0.3}, "against": {"网吧": 0.5}, "intercept": -0.2}
    topic = make_topic({**FIELDS, **taught, "reasons": {"网吧": "taught: in 0 of your 3 yes pages"}}, "test")
    text = as_toml(topic)
    assert read_topic(text, "test") == topic
    assert '[trust]\n"台风" = 0.4' in text


ANSWERS = {f"http://a.example/{number}": not number % 2 for number in range(6)}


def job(folder: Path, recipe: Recipe) -> Path:
    """A job that has kept six pages."""
    files = JobFiles(folder, recipe)
    files.begin()
    for number, word in enumerate(["基金，净值和申购。", "首饰，项链和戒指。"] * 3):
        files.keep(replace(record(number, 0.5), text=f"第{number}页，黄金，{word * 12}"))
        files.visits.append(Visit(f"http://a.example/{number}", 200, 1.0, 0.5, stored=True, time=1.0))
    files.close()
    return folder


def test_a_topic_that_was_changed_after_it_was_taught_is_taught_anew(tmp_path: Path) -> None:
    fields = {"name": "gold", "keywords": {"黄金": 1.0}}
    folder = job(tmp_path / "job", Recipe("gold", "breadth_first", topic_fields=fields))
    lessons_of(folder).teach(ANSWERS)
    assert "净值" in lessons_of(folder).topic.keywords
    # the user goes on with a topic file that has another word
    changed = Recipe("gold", "breadth_first", topic_fields={**fields, "keywords": {"黄金": 1.0, "白银": 0.8}})
    assert with_teaching(changed, folder) == changed
    write_recipe(changed, folder)
    taught = (folder / TEACHING).read_text(encoding="utf-8")
    lessons = lessons_of(folder)
    assert lessons.topic.keywords == {"黄金": 1.0, "白银": 0.8}
    with pytest.raises(ArgumentError, match="nothing to undo"):
        lessons.undo()
    lessons.teach(ANSWERS)
    kept = read_recipe(folder)
    assert kept is not None
    assert {"黄金", "白银", "净值"} <= topic_of(kept).keywords.keys()
    assert (folder / f"{TEACHING}.old").read_text(encoding="utf-8") == taught
    again = lessons_of(folder)
    assert again.answers == ANSWERS
    again.undo()
    assert lessons_of(folder).topic.keywords == {"黄金": 1.0, "白银": 0.8}


def test_a_job_of_the_catalogue_is_named_so_when_it_was_taught_and_unchanged_when_that_was_undone(
    tmp_path: Path,
) -> None:
    begun = Recipe("finance", "breadth_first")
    folder = job(tmp_path / "job", begun)
    for _ in range(2):
        lessons_of(folder).teach(ANSWERS)
        assert arguments_of(folder)["topic"] == "finance"
    for _ in range(2):
        lessons_of(folder).undo()
    kept, now = read_recipe(folder), with_teaching(begun, folder)
    assert kept is not None
    assert (now, topic_of(kept)) == (begun, topic_of(begun))
    assert changes(kept, now, folder, queued=True) == []


def test_a_job_whose_sites_have_a_day_can_be_taught(tmp_path: Path) -> None:
    (tmp_path / "sites.toml").write_text('[sites."a.example"]\nsince = 2024-01-01\n', encoding="utf-8")
    begun = Recipe("finance", "breadth_first", sites=str(tmp_path / "sites.toml"))
    folder = job(tmp_path / "job", begun)
    lessons_of(folder).teach(ANSWERS)
    taught = with_teaching(begun, folder)
    assert topic_of(taught).sites["a.example"].since == date(2024, 1, 1)
    assert "净值" in topic_of(taught).keywords
    lessons_of(folder).undo()
    assert with_teaching(begun, folder) == begun
