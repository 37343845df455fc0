"""The demo trains the model that `scrapy crawl` will load."""

import json
import math
from pathlib import Path

from topiccrawler.demo.files import DemoFiles
from topiccrawler.demo.lessons import train_on
from topiccrawler.demo.plan import Web
from topiccrawler.demo.running import RunningServer
from topiccrawler.link_model.model_file import load_model
from topiccrawler.model import Link


def test_training_writes_links_and_a_model_that_tells_finance_from_the_rest(tmp_path: Path) -> None:
    web, files = Web(seed=1), DemoFiles(tmp_path / "demo")
    files.make_ready(web.seeds, ())
    with RunningServer(seed=1) as server:
        lesson = train_on(web, files, server.address, 200, lambda _: None)
    rows = [json.loads(text) for text in files.links.read_text(encoding="utf-8").splitlines()]
    assert (lesson.pages, lesson.links, lesson.positive) == (
        200,
        len(rows),
        sum(row["label"] for row in rows),
    )
    assert math.isnan(lesson.f1) or 0.0 <= lesson.f1 <= 1.0
    model = load_model("finance", files.models)
    texts = ("央行降息，股票板块震荡走高", "火锅蘸料的做法", "球队客场告负")
    finance, food, sport = model.log_odds(
        [Link(url="http://x.example/1.html", host="x.example", anchor=t) for t in texts]
    )
    assert finance > 0 > max(food, sport)
