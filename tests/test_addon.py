"""One line in ADDONS: in this project, in somebody else's, and on the command line."""

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.pipelines.images import ImagesPipeline
from scrapy.settings import Settings

from topiccrawler.addon import REPLAY_HANDLER, Addon
from topiccrawler.engine.pipelines import KnownTextPipeline, NearDuplicatePipeline, RelevancePipeline
from topiccrawler.engine.rendering import HANDLER as DRAWING_HANDLER
from topiccrawler.engine.tdm_files import TdmFilePipeline
from topiccrawler.errors import ArgumentError
from topiccrawler.spiders.topic import TopicSpider

ROOT = Path(__file__).parents[1]
BLOCK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>recorded</title>"


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    head = f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.cn/dir/\r\nContent-Length: {len(BLOCK)}\r\n"
    path = tmp_path / "web.warc"
    path.write_bytes(
        head.encode() + b"Content-Type: application/http; msgtype=response\r\n\r\n" + BLOCK + b"\r\n\r\n"
    )
    return path


def settings_after(
    project: dict[str, Any], spider: type[Spider] = TopicSpider, **command_line: Any
) -> Settings:
    settings = Settings(project, priority="project")
    settings.setdict(command_line, priority="cmdline")
    crawler = Crawler(spider, settings)
    Addon.from_crawler(crawler).update_settings(crawler.settings)
    return crawler.settings


def test_an_extension_that_is_switched_off_is_not_even_loaded() -> None:
    remote = "scrapy.extensions.remote_control.RemoteControl"
    telnet = "scrapy.extensions.telnet.TelnetConsole"
    off = settings_after({"REMOTE_CONTROL_ENABLED": False, "TELNETCONSOLE_ENABLED": False})
    on = settings_after({"REMOTE_CONTROL_ENABLED": True, "TELNETCONSOLE_ENABLED": True})
    assert not {remote, telnet} & set(off.get_component_priority_dict_with_base("EXTENSIONS"))
    assert {remote, telnet} < set(on.get_component_priority_dict_with_base("EXTENSIONS"))


def test_what_another_project_set_itself_stays() -> None:
    project = {
        "SCHEDULER": "scrapy.core.scheduler.Scheduler",
        "CONCURRENT_ITEMS": 100,
        "ITEM_PIPELINES": {ImagesPipeline: 1, "topiccrawler.engine.pipelines.StoragePipeline": 900},
        "SPIDER_MIDDLEWARES": {"topiccrawler.engine.middlewares.OutlinksMiddleware": None},
    }
    settings = settings_after(project)
    assert settings["SCHEDULER"] == "scrapy.core.scheduler.Scheduler"
    assert settings.getint("CONCURRENT_ITEMS") == 100
    assert dict(settings["ITEM_PIPELINES"]) == {
        ImagesPipeline: 1,
        "topiccrawler.engine.pipelines.StoragePipeline": 900,
        RelevancePipeline: 300,
        KnownTextPipeline: 400,
        TdmFilePipeline: 450,
        NearDuplicatePipeline: 500,
    }
    assert settings["SPIDER_MIDDLEWARES"]["topiccrawler.engine.middlewares.OutlinksMiddleware"] is None


@pytest.mark.slow
def test_a_spider_without_a_topic_does_not_pay_for_what_others_need() -> None:
    loaded = (
        "import sys, topiccrawler.addon; print(*(name for name in sys.modules if 'topiccrawler' in name))"
    )
    names = subprocess.run(
        [sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert "topiccrawler.addon" in names
    assert [name for name in names if "runtime" in name or "frontier" in name or "pages" in name] == []


def test_replay_takes_both_schemes_and_needs_no_politeness(warc: Path) -> None:
    project = {
        "DOWNLOAD_DELAY": 3,
        "AUTOTHROTTLE_ENABLED": True,
        "DOWNLOAD_HANDLERS": {"ftp": None, "https": "some.Handler"},
    }
    settings = settings_after(project, REPLAY_WARC=str(warc))
    handlers = settings.getwithbase("DOWNLOAD_HANDLERS")
    assert [handlers["http"], handlers["https"], handlers["ftp"]] == [REPLAY_HANDLER, REPLAY_HANDLER, None]
    assert settings.getfloat("DOWNLOAD_DELAY") == 0
    assert settings.getbool("AUTOTHROTTLE_ENABLED") is False


def test_fetch_prints_a_recorded_page_through_its_redirect(
    forked_scrapy: Callable[..., Any], warc: Path
) -> None:
    done = forked_scrapy("fetch", "--nolog", "-s", f"REPLAY_WARC={warc}", "https://a.cn/dir", timeout=30)
    assert (done.code, done.out.strip(), done.err) == (0, "<title>recorded</title>", "")


def test_a_host_to_draw_puts_the_browser_behind_http_or_says_what_is_missing() -> None:
    wanted = {"TOPIC_RENDERED_HOSTS": "a.example", "TOPIC_BROWSER": "/opt/browser", "DOWNLOAD_TIMEOUT": 20}
    if importlib.util.find_spec("scrapy_playwright") is None:
        with pytest.raises(ArgumentError, match=r"scrapy-playwright.*pip install"):
            settings_after(wanted)
        return
    settings = settings_after(wanted)
    assert settings.getdict("DOWNLOAD_HANDLERS") == {"http": DRAWING_HANDLER, "https": DRAWING_HANDLER}
    assert settings["PLAYWRIGHT_LAUNCH_OPTIONS"]["executable_path"] == "/opt/browser"
    assert settings["PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT"] == 20_000
