"""Crawls from a script: the code of docs/your-project.md, run twice at once in one process, with a slip in it."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.crawling.page_stores import visits_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
RUN = """
import gc
usual = gc.get_threshold()


async def together():
    await asyncio.gather(crawl(["finance"]), crawl(["finance", "nonsense"]))
    print(type(reactor.resolver).__name__)
    print(gc.get_threshold() == usual and not gc.get_freeze_count())


install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
from twisted.internet import reactor
react(lambda reactor: Deferred.fromFuture(asyncio.ensure_future(together())))
"""


def test_a_script_catches_faults_and_runs_crawls_side_by_side(
    draw_web: Callable[..., Any], tmp_path: Path
) -> None:
    page = (ROOT / "docs" / "your-project.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    script = next(block for block in blocks if "AsyncCrawlerRunner" in block).partition("install_reactor(")
    begun = script[0].replace("pages=1000", "pages=1, seeds='http://hub.example/', strategy='breadth_first'")
    assert begun != script[0]
    web = draw_web({"http://hub.example/": "<title>基金</title>"})
    ran = subprocess.run(
        [sys.executable, "-c", begun + RUN],
        cwd=tmp_path,
        env={"PATH": "", "PYTHONPATH": str(ROOT), "http_proxy": web.proxy},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    fault, resolver, memory_is_as_before = ran.stdout.splitlines()
    assert fault.startswith("topic 'nonsense'")
    assert (resolver, memory_is_as_before) == ("PrivateNetworkResolver", "True")
    jobs = list((tmp_path / "results").iterdir())
    assert len(jobs) == 2
    assert all(len(list(visits_of(job))) == 1 for job in jobs)
