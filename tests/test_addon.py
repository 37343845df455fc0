"""One line in ADDONS: in this project, in somebody else's, and on the command line."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scrapy.pipelines.images import ImagesPipeline
from scrapy.settings import Settings

from topiccrawler.addon import REPLAY_HANDLER, Addon
from topiccrawler.engine.middlewares.documents import DocumentMiddleware
from topiccrawler.engine.middlewares.lease_end import LeaseEndMiddleware
from topiccrawler.engine.middlewares.link_gate import LinkGateMiddleware
from topiccrawler.engine.middlewares.outlinks import OutlinksMiddleware
from topiccrawler.engine.middlewares.rendering import HANDLER as DRAWING_HANDLER
from topiccrawler.engine.middlewares.rendering import RenderingMiddleware
from topiccrawler.engine.pipelines import NearDuplicatePipeline, RelevancePipeline, StoragePipeline
from topiccrawler.engine.private_network import PrivateNetworkMiddleware

BLOCK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>recorded</title>"


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    head = f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.cn/dir/\r\nContent-Length: {len(BLOCK)}\r\n"
    path = tmp_path / "web.warc"
    path.write_bytes(
        head.encode() + b"Content-Type: application/http; msgtype=response\r\n\r\n" + BLOCK + b"\r\n\r\n"
    )
    return path


def settings_after(project: dict[str, Any], **command_line: Any) -> Settings:
    settings = Settings(project, priority="project")
    settings.setdict(command_line, priority="cmdline")
    Addon().update_settings(settings)
    return settings


def test_an_extension_that_is_switched_off_is_not_even_loaded() -> None:
    remote, telnet = (
        "scrapy.extensions.remote_control.RemoteControl",
        "scrapy.extensions.telnet.TelnetConsole",
    )
    off = settings_after({"REMOTE_CONTROL_ENABLED": False, "TELNETCONSOLE_ENABLED": False})
    on = settings_after({"REMOTE_CONTROL_ENABLED": True, "TELNETCONSOLE_ENABLED": True})
    assert not {remote, telnet} & set(off.get_component_priority_dict_with_base("EXTENSIONS"))
    assert {remote, telnet} < set(on.get_component_priority_dict_with_base("EXTENSIONS"))


def test_in_another_project_the_parts_find_their_places() -> None:
    settings = settings_after({})
    assert settings["SCHEDULER"] == "topiccrawler.engine.scheduler.FocusedScheduler"
    assert settings.getint("CONCURRENT_ITEMS") == 8
    assert settings.getfloat("DOWNLOAD_DELAY_JITTER") == 0
    assert dict(settings["DOWNLOADER_MIDDLEWARES"]) == {
        LinkGateMiddleware: 50,
        RenderingMiddleware: 55,
        DocumentMiddleware: 60,
        PrivateNetworkMiddleware: 760,
    }
    assert dict(settings["SPIDER_MIDDLEWARES"]) == {LeaseEndMiddleware: 10, OutlinksMiddleware: 1100}
    assert dict(settings["ITEM_PIPELINES"]) == {
        RelevancePipeline: 300,
        NearDuplicatePipeline: 500,
        StoragePipeline: 800,
    }


def test_what_another_project_set_itself_stays() -> None:
    project = {
        "SCHEDULER": "scrapy.core.scheduler.Scheduler",
        "CONCURRENT_ITEMS": 100,
        "ITEM_PIPELINES": {ImagesPipeline: 1, "topiccrawler.engine.pipelines.StoragePipeline": 900},
        "SPIDER_MIDDLEWARES": {"topiccrawler.engine.middlewares.outlinks.OutlinksMiddleware": None},
    }
    settings = settings_after(project)
    assert settings["SCHEDULER"] == "scrapy.core.scheduler.Scheduler"
    assert settings.getint("CONCURRENT_ITEMS") == 100
    assert dict(settings["ITEM_PIPELINES"]) == {
        ImagesPipeline: 1,
        "topiccrawler.engine.pipelines.StoragePipeline": 900,
        RelevancePipeline: 300,
        NearDuplicatePipeline: 500,
    }
    assert (
        settings["SPIDER_MIDDLEWARES"]["topiccrawler.engine.middlewares.outlinks.OutlinksMiddleware"] is None
    )


def test_our_own_settings_are_left_as_they_are() -> None:
    own = Settings()
    own.setmodule("topiccrawler.settings", priority="project")
    before = {name: own[name] for name in own}
    Addon().update_settings(own)
    changed = {name for name in own if own[name] != before.get(name)}
    assert changed == {"USER_AGENT"}


def test_the_user_agent_says_where_to_complain() -> None:
    own = Settings({"USER_AGENT": "crawler (+{contact})", "TOPIC_CONTACT": "https://crawl.example/about"})
    Addon().update_settings(own)
    assert own["USER_AGENT"] == "crawler (+https://crawl.example/about)"
    nobody = Settings({"USER_AGENT": "crawler (+{contact})"})
    Addon().update_settings(nobody)
    assert nobody["USER_AGENT"].startswith("crawler (+mailto:abuse@")
    assert "{" not in nobody["USER_AGENT"]
    foreign = Settings({"USER_AGENT": "somebody else"})
    Addon().update_settings(foreign)
    assert foreign["USER_AGENT"] == "somebody else"


def test_without_replay_the_network_stays() -> None:
    settings = settings_after({"DOWNLOAD_DELAY": 3})
    assert dict(settings["DOWNLOAD_HANDLERS"]) == {}
    assert settings.getfloat("DOWNLOAD_DELAY") == 3


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


def test_a_delay_asked_for_on_the_command_line_is_kept_in_replay(warc: Path) -> None:
    settings = settings_after({"DOWNLOAD_DELAY": 3}, REPLAY_WARC=str(warc), DOWNLOAD_DELAY="0.5")
    assert settings.getfloat("DOWNLOAD_DELAY") == 0.5


@pytest.mark.parametrize("name", ["gone.warc", "gone/*.gz", "."])
def test_a_bad_path_ends_the_command_with_one_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(SystemExit) as end:
        settings_after({}, REPLAY_WARC=f"{tmp_path}/{name}")
    assert str(end.value) == (
        f"REPLAY_WARC: {tmp_path}/{name}: no such WARC file or folder of WARC files; name .warc or .warc.gz files"
    )


def test_fetch_prints_a_recorded_page_through_its_redirect(
    warm_scrapy: Callable[..., Any], warc: Path
) -> None:
    done = warm_scrapy("fetch", "--nolog", "-s", f"REPLAY_WARC={warc}", "https://a.cn/dir", timeout=30)
    assert (done.code, done.out.strip(), done.err) == (0, "<title>recorded</title>", "")


def test_fetch_with_a_damaged_recording_says_so_in_one_line(
    warm_scrapy: Callable[..., Any], warc: Path
) -> None:
    warc.write_bytes(warc.read_bytes()[:-30])
    done = warm_scrapy("fetch", "--nolog", "-s", f"REPLAY_WARC={warc}", "http://a.cn/dir/")
    fault = "no whole response in it (its last record is cut off); name a WARC file, or record it again"
    assert (done.code, done.out, done.err) == (1, "", f"REPLAY_WARC: {warc}: {fault}\n")


def test_without_a_page_to_draw_no_browser_is_put_behind_http() -> None:
    assert settings_after({}).getdict("DOWNLOAD_HANDLERS") == {}
    assert "PLAYWRIGHT_LAUNCH_OPTIONS" not in settings_after({"TOPIC_RENDER_EMPTY_PAGES": "False"})


def test_a_host_to_draw_puts_the_browser_behind_http_or_says_what_is_missing() -> None:
    wanted = {"TOPIC_RENDERED_HOSTS": "a.example", "TOPIC_BROWSER": "/opt/browser", "DOWNLOAD_TIMEOUT": 20}
    if importlib.util.find_spec("scrapy_playwright") is None:
        with pytest.raises(SystemExit, match=r"scrapy-playwright is not installed; pip install"):
            settings_after(wanted)
        return
    settings = settings_after(wanted)
    assert settings.getdict("DOWNLOAD_HANDLERS") == {"http": DRAWING_HANDLER, "https": DRAWING_HANDLER}
    assert settings["PLAYWRIGHT_LAUNCH_OPTIONS"]["executable_path"] == "/opt/browser"
    assert settings["PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT"] == 20_000


def test_a_replay_draws_nothing(warc: Path) -> None:
    settings = settings_after({"TOPIC_RENDERED_HOSTS": "a.example"}, REPLAY_WARC=str(warc))
    assert settings.getdict("DOWNLOAD_HANDLERS") == {"http": REPLAY_HANDLER, "https": REPLAY_HANDLER}
