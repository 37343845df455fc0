"""Every page classifier with what travels with the package; the nearest centroid has no shipped model (tests/commands/test_train_centroids.py)."""

import pytest

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.relevance.base import NEAREST_CENTROID, PAGE_CLASSIFIERS, PUBLISHED
from topiccrawler.relevance.choose import FOLDER
from topiccrawler.resources import folder

TEXTS = {
    "finance": "央行下调存款利率，股市大涨，基金净值上升，银行板块领涨，投资者看好债券市场。",
    "sport": "球队在联赛第三轮客场取胜，主教练称赞球员，门将扑出点球，前锋攻入两球。",
    "travel": "景区门票下调，游客从古镇出发徒步，酒店客栈订满，旅行社推出海岛自由行。",
}
TOPICS = ("auto", "education", "finance", "health", "sport", "tech", "travel")


@pytest.mark.parametrize("topic", TEXTS)
@pytest.mark.parametrize(
    "name", [*(name for name in PAGE_CLASSIFIERS if name != NEAREST_CENTROID), PUBLISHED]
)
def test_its_own_text_is_the_most_relevant(topic: str, name: str) -> None:
    reader = assemble(Recipe(topic, page_classifier=name)).reader()
    pages = {
        other: reader.read("http://a.cn/", f"<title>{text[:8]}</title><p>{text * 3}</p>".encode()).page
        for other, text in TEXTS.items()
    }
    assert [other for other, page in pages.items() if page.is_target] == [topic]
    assert max(pages, key=lambda other: pages[other].relevance) == topic


@pytest.mark.parametrize(("name", "most"), [("naive_bayes", 300_000), ("published", 900_000), ("svm", 1_000)])
def test_they_are_there_for_seven_topics_and_small(name: str, most: int) -> None:
    for topic in TOPICS:
        file = folder("models").joinpath(FOLDER, f"{topic}.{name}.json")
        assert len(file.read_bytes()) <= most
    assert len(folder("models").joinpath(FOLDER, "svm_weights.json").read_bytes()) <= 700_000


def test_jlse_runs_with_the_papers_page_classifiers_from_a_bare_clone() -> None:
    published = {"detail": "true", "terminal": "true", "leaves": "false"}
    recipe = Recipe("finance", "jlse", published, page_classifier="naive_bayes:published=true")
    parts = assemble(recipe)
    scorer = vars(parts.strategy)["_scorer"]
    assert (type(scorer).__name__, parts.context) == ("AnchorBayes", "dom")
    reading = parts.reader().read(
        "http://a.cn/", f"<title>股市</title><p>{TEXTS['finance'] * 9}</p>".encode()
    )
    assert reading.page.is_target
    assert reading.page.is_detail
