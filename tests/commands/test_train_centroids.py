"""`scrapy train --page-classifier nearest_centroid`, and `scrapy read` with what it made."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.centroids import load_centroids

pytestmark = pytest.mark.slow


def test_it_is_trained_by_the_command_and_classifies_pages(
    command: Callable[..., Any], forked_scrapy: Callable[..., Any], tmp_path: Path
) -> None:
    texts = {
        "finance": "基金净值上涨，投资者申购股票基金，银行理财收益",
        "sports": "足球比赛射门得分，球队球员联赛冠军",
        "travel": "旅游景点门票酒店，古镇自驾游攻略",
    }
    rows = [{"label": label, "text": f"{text} {n}号"} for label, text in texts.items() for n in range(15)]
    file = tmp_path / "docs.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    call = ("train", "finance", "--page-classifier", "nearest_centroid", "--documents", str(file))
    ran = command(*call, "--out", str(tmp_path), "--json")
    assert (ran.code, ran.err) == (0, "")
    trained = json.loads(ran.out)
    assert (trained["scores"]["held out"]["f1"], trained["threshold"]) == (1.0, 0.5)
    saved = load_centroids(Path(trained["model"]))
    assert list(saved.centroids) == ["finance", "sports", "travel"]
    assert saved.class_of(PageWords(body=["球队", "冠军"])) == "sports"
    page = tmp_path / "page.html"
    page.write_text("<title>申購基金</title><p>銀行理財，基金淨值", encoding="big5")
    read = ("read", str(page), "--topic", "finance", "--page-classifier", "nearest_centroid", "--json")
    found = json.loads(forked_scrapy(*read, "-s", f"TOPIC_PAGE_CLASSIFIER_MODELS={tmp_path}").out)
    assert (found["encoding"], found["title"], found["kept"]) == ("big5hkscs", "申購基金", True)
    assert found["relevance"] > found["threshold"] == 0.5
    refused = command(*call, "--out", str(tmp_path), "--precision", "0.9")
    assert (refused.code, refused.err.count("\n")) == (1, 1)
    assert "--precision" in refused.err
