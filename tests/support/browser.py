"""A Chromium and a running dashboard, for tests that look at it as a user does."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.engine.control.client import FILE as CONTROL
from topiccrawler.engine.control.client import Address
from topiccrawler.engine.rendering import BROWSERS

ROOT = Path(__file__).parents[2]
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]
FLAGS += [
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
PATIENCE = 60  # seconds, then the test fails

needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium is here: apt-get install chromium")


@contextmanager
def running_dashboard(data: Path, environment: Mapping[str, str], job: str) -> Iterator[str]:
    """Its link, as a user starts it. `job`: what it is to start; killed when a test failed while it ran."""
    words = [sys.executable, "-m", "scrapy", "dashboard", "--no-open", "--data", str(data)]
    with subprocess.Popen(
        words, cwd=ROOT, env=dict(environment), stdout=subprocess.PIPE, text=True
    ) as process:
        found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", process.stdout.readline())
        try:
            yield found[0]
        finally:
            process.terminate()
            if (data / job / CONTROL).is_file():
                os.kill(Address.read(data / job).pid, signal.SIGKILL)


@contextmanager
def open_browser(profile: Path) -> Iterator[Any]:
    """With a profile of its own, and no way to any other machine."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=BROWSER, args=FLAGS, headless=True, locale="en-US", viewport={"width": 1600, "height": 1000}
        )  # fmt: skip
        context.set_default_timeout(PATIENCE * 1000)
        yield context
        context.close()
