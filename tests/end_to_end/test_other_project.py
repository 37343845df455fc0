"""A stranger's hands: the wheel in a new project of another name, with the one line in ADDONS that docs/your-project.md gives."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import FUNDS, crawl_words
from forked_scrapy import ForkedScrapy, Ran
from scrapy import commands as scrapys

from topiccrawler import settings as ours
from topiccrawler.urls.unwanted import Limits

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PACKED = ("topiccrawler", "models", "seeds", "pyproject.toml", "setup.py", "README.md", "LICENSE")
BUILD = "import setuptools.build_meta as build, sys; print(build.build_wheel(sys.argv[1]))"
NOTES = """
import json


class Notes:
    def closed(self, reason):
        values = {name: repr(self.settings[name]) for name in self.settings}
        open(f"{self.name}.json", "w").write(json.dumps(values))
"""
SPIDERS = """
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule
from topiccrawler.spiders.topic import TopicSpider

from other.notes import Notes


class Funds(Notes, TopicSpider):
    name = "funds"
    custom_settings = {"TOPIC": "finance", "FRONTIER_PATHS": 1, "RETRY_TIMES": 4}


class Plain(Notes, CrawlSpider):
    name = "plain"
    start_urls = ["http://plain.example/0"]
    rules = [Rule(LinkExtractor(), callback="read", follow=True)]

    def read(self, response):
        yield {"url": response.url}
"""
ENDLESS = f'<title>基金</title><p>{FUNDS}</p><a href="a/">更多基金</a>'


@dataclass
class Project:
    """A Scrapy project that imports the wheel."""

    folder: Path
    warm: ForkedScrapy

    def scrapy(self, *words: str, proxy: str = "") -> Ran:
        """As a user types it, in processes that have imported the wheel."""
        return self.warm.begin(*words, proxy=proxy, folder=self.folder).wait(120)

    def settings_of(self, spider: str) -> dict[str, str]:
        """The settings it closed with."""
        return json.loads((self.folder / f"{spider}.json").read_text())


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """The wheel is unpacked, which is all that an installer does with it, and the project made as its author would."""
    source, home = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("home")
    for name in PACKED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
            for folder, _, _ in os.walk(source / name):  # the checkout's may be read-only
                Path(folder).chmod(0o755)
        else:
            shutil.copy(ROOT / name, source)
    environment = {"PATH": "", "PYTHONPATH": str(home / "site"), "HOME": str(home)}
    built = subprocess.run(
        [sys.executable, "-c", BUILD, str(home)], cwd=source, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    shutil.rmtree(source)
    (wheel,) = home.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(home / "site")
    made = Project(home, ForkedScrapy(tmp_path_factory.mktemp("warm"), home, environment))
    assert made.scrapy("startproject", "other").code == 0
    made.folder = home / "other"
    page = (ROOT / "docs" / "your-project.md").read_text(encoding="utf-8")
    line = re.search(r"^ADDONS = .*$", page, re.MULTILINE)
    settings = made.folder / "other" / "settings.py"
    settings.write_text(settings.read_text().replace("ADDONS = {}", line[0]))
    assert line[0] in settings.read_text()
    (made.folder / "other" / "notes.py").write_text(NOTES)
    (made.folder / "other" / "spiders" / "own.py").write_text(SPIDERS)
    yield made
    made.warm.close()


def test_a_spider_with_a_topic_gets_all_defaults_and_the_projects_own_settings_win(
    project: Project, draw_web: Callable[..., Any]
) -> None:
    deep = ["http://trap.example/" + "a/" * depth for depth in range(60)]
    web = draw_web(dict.fromkeys(deep, ENDLESS))
    ran = project.scrapy(
        "crawl", "funds", "-a", "seeds=http://trap.example/", "-a", "keywords=理财",
        "-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "TOPIC_DUPLICATES=keep",
        proxy=web.proxy,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert "Traceback" not in ran.err
    assert web.fetched() == deep[: Limits().segment_repeats + 1]
    assert re.search(r"topiccrawler\.engine\.progress\S* INFO: 4 pages, 4 kept", ran.err)
    (job,) = (project.folder / ours.TOPIC_DATA_DIR).iterdir()
    assert {"job.json", "job.sqlite"} <= {path.name for path in job.iterdir()}
    found = project.settings_of("funds")
    settings = {"TOPIC": "'finance'", "TOPIC_DUPLICATES": "'keep'"}
    ours_named = {name for name in vars(ours) if re.match("(TOPIC|FRONTIER)(_|$)", name)}
    assert len(ours_named) > 30
    assert {name: found[name] for name in ours_named} == {
        name: repr(getattr(ours, name)) for name in ours_named
    } | settings
    assert found["BOT_NAME"] == "'other'"
    assert found["RETRY_TIMES"] == "4"
    assert found["DOWNLOAD_DELAY"] == "'0'"
    assert found["CONCURRENT_ITEMS"] == repr(ours.CONCURRENT_ITEMS)
    parsed = project.scrapy("parse", "--spider=funds", "--nocolour", "http://trap.example/", proxy=web.proxy)
    assert "'title': '基金'" in parsed.out
    assert "<GET http://trap.example/a/>" in parsed.out


def test_a_spider_without_a_topic_is_scrapys_alone_and_its_job_goes_on(
    project: Project, draw_web: Callable[..., Any]
) -> None:
    links = "".join(f'<a href="/{number}">{number}</a>' for number in range(1, 17))
    web = draw_web({f"http://plain.example/{number}": links for number in range(17)})
    for pages in (6, None):
        words = crawl_words(
            Path("job"), spider="plain", topic=None, seeds=None, strategy=None, AUTOTHROTTLE_ENABLED=None,
            CONCURRENT_REQUESTS_PER_DOMAIN=4, ROBOTSTXT_OBEY=False, CLOSESPIDER_PAGECOUNT=pages,
        )  # fmt: skip
        ran = project.scrapy(*words, proxy=web.proxy)
        assert ran.code == 0, ran.err
    assert Counter(web.asked) == {**dict.fromkeys(web.pages, 1), "http://plain.example/0": 2}
    assert {path.name for path in (project.folder / "job").iterdir()} == {
        "requests.queue", "requests.seen", "spider.state",
    }  # fmt: skip
    named = [line for line in ran.err.splitlines() if "topiccrawler" in line]
    assert len(named) == 1
    assert named[0].startswith("[<topiccrawler.addon.Addon object")
    found = project.settings_of("plain")
    assert [name for name in found if name.startswith(("TOPIC", "FRONTIER"))] == []
    assert [name for name, value in found.items() if "topiccrawler" in value] == []


def test_the_commands_come_with_the_package_and_leave_scrapys_own_alone(project: Project) -> None:
    installed = Distribution.at(next((project.folder.parent / "site").glob("*.dist-info")))
    offered = {entry.name for entry in installed.entry_points.select(group="scrapy.commands")}
    modules = {path.stem for path in (ROOT / "topiccrawler" / "commands").glob("[!_]*.py")}
    assert modules - offered == {path.stem for path in Path(scrapys.__file__).parent.glob("*.py")} & modules
    explained = project.scrapy("explain", "--anchor", "基金净值", "--topic", "finance", "--json")
    assert explained.code == 0, explained.err
    assert json.loads(explained.out)["score"] > 0
    wrong = project.scrapy("explain", "--anchor", "基金", "--topic", "finanse")
    assert (wrong.code, wrong.out) == (1, "")
    assert wrong.err.startswith("topic 'finanse'")
    assert wrong.err.count("\n") == 1


def test_without_a_project_one_command_does_the_main_job(
    project: Project, draw_web: Callable[..., Any], tmp_path: Path
) -> None:
    installed = Distribution.at(next((project.folder.parent / "site").glob("*.dist-info")))
    [script] = installed.entry_points.select(group="console_scripts")
    assert (script.name, script.value) == ("topiccrawler", "topiccrawler.__main__:main")
    web = draw_web({"http://funds.example/": f"<title>基金</title><p>{FUNDS}</p>"})
    environment = {"PATH": "", "PYTHONPATH": str(project.folder.parent / "site"), "LANGUAGE": "en"}

    def run(*words: str) -> str:
        ran = subprocess.run(
            [sys.executable, "-m", "topiccrawler", *words], cwd=tmp_path, env={**environment, "http_proxy": web.proxy},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    seed = {"keywords": "基金,股票", "seeds": "http://funds.example/", "topic": None}
    run(*crawl_words(tmp_path, strategy=None, JOBDIR=None, **seed))
    [job] = (tmp_path / "data").iterdir()
    assert web.fetched() == ["http://funds.example/"]
    assert "http://funds.example/" in run("pages", job.name)
