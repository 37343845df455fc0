"""The detail classifier: its features by hand, its SVM against scikit-learn, its file against damage."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.errors import ModelError
from topiccrawler.pages.parse import parse
from topiccrawler.relevance.detail import DetailClassifier, features, load_detail
from topiccrawler.resources import folder


def test_the_figures_by_hand() -> None:
    """Outside links 8 + 4 Han characters and one Latin word in blocks of 5 and 2 words, 4 characters in two links."""
    page = parse(
        "<p>基金净值今日上涨 news</p><p>风险提示</p><ul><li><a href=/a>首页</a><li><a href=/b>更多</a></ul>"
    )
    text, links, gathered = features(page)
    assert text == pytest.approx(math.log2((7 + 1) / 100))
    assert links == pytest.approx(math.log2((2 + 1) / (9 + 1)))
    assert gathered == pytest.approx((25 + 4) / 49)


def good() -> dict[str, Any]:
    return {
        "format": "topiccrawler detail classifier", "gamma": 0.5, "bias": 0.25,
        "means": [0, 0, 0], "deviations": [1, 1, 1], "vectors": [[2.0, 0, 0, 0]],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "format 'other'"),
        ({"vectors": []}, r"\b1 to "),
        ({"vectors": [[1, 2]]}, " 4 "),
        ({"vectors": [[float("nan"), 0, 0, 0]]}, " 4 "),
        ({"means": None}, " 3 "),
        ({"deviations": [1, 0, 1]}, " 0"),
        ({"gamma": -1}, " 0"),
        ({"bias": "x"}, " 2 "),
    ],
)
def test_a_file_that_cannot_be_trusted_is_refused(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    place = tmp_path / "page_classifiers" / "detail.json"
    place.parent.mkdir()
    place.write_text(json.dumps(good()), encoding="utf-8")
    assert load_detail(tmp_path).score((1.0, 0.0, 0.0)) == pytest.approx(2 * math.exp(-0.5) + 0.25)
    place.write_text(json.dumps({**good(), **change}), encoding="utf-8")
    with pytest.raises(ModelError, match=message):
        load_detail(tmp_path)


def test_a_missing_file_names_the_command_that_makes_it(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"lab\.training\.detail_model"):
        load_detail(tmp_path)


def shipped() -> DetailClassifier:
    return load_detail(folder("models"))


def test_the_shipped_svm_separates_an_article_from_a_list_of_links() -> None:
    text = "沪深两市今日高开低走，券商和银行股领跌，分析师认为投资者情绪趋于谨慎。" * 12
    article = f"<a href=/>首页</a><h1>两市收跌</h1><div><p>{text}</p></div><a href=/more>更多</a>"
    hub = "<ul>" + "".join(f"<li><a href=/{n}>两市收跌券商领跌{n}</a>" for n in range(80)) + "</ul>"
    assert shipped().is_detail(parse(article))
    assert not shipped().is_detail(parse(hub))
