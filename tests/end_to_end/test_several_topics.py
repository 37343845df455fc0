"""A crawl for two topics: one fetch a page, results apart, explained and resumed as any other."""

import re
from typing import Any

import pytest
from drawn_crawls import Crawl, json_lines

pytestmark = pytest.mark.slow

SEED = "http://a.example/"
FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。" * 4
TRIP = "旅游景点游客增加，旅行社推荐线路，酒店与景区门票优惠，自驾游攻略。" * 4


def test_each_page_is_fetched_once_and_kept_for_its_topics(crawl: Crawl, forked_scrapy: Any) -> None:
    pages = {
        "http://a.example/fund": f"<title>基金</title><p>{FUNDS}</p>",
        "http://b.example/trip": f"<title>旅游</title><p>{TRIP}</p>",
        "http://c.example/both": f"<title>旅游与理财</title><p>{FUNDS}{TRIP}</p>",
        "http://d.example/none": "<title>天气</title><p>明天有雨，气温下降。</p>",
    }
    names = {"fund": "基金", "trip": "旅游", "both": "旅游基金", "none": "天气"}
    links = "".join(f"<a href='{url}'>{names[url.rpartition('/')[2]]}</a>" for url in pages)
    options = {"topic": "finance,旅游", "seeds": SEED, "strategy": None, "ROBOTSTXT_OBEY": False}
    ran = crawl({SEED: links, **pages}, **options)
    web, job = ran.web, ran.job
    assert "Topic finance+travel (财经+旅游)" in ran.err
    assert sorted(web.fetched()) == sorted([SEED, *pages])

    def listed(*words: str) -> dict[str, str]:
        said = forked_scrapy("pages", str(job), "list", "--json", *words)
        assert said.code == 0, said.err
        return {row["url"].rpartition("/")[2]: row["topic"] for row in json_lines(said.out)}

    kept = listed()
    assert {name: sorted(topics.split(",")) for name, topics in kept.items()} == {
        "fund": ["finance"],
        "trip": ["travel"],
        "both": ["finance", "travel"],
        "": ["finance", "travel"],  # the seed's anchors
    }
    assert set(listed("--topic", "travel")) == {"trip", "both", ""}
    printed = forked_scrapy("explain", "http://b.example/trip", "--job", str(job))
    assert printed.code == 0, printed.err
    assert "旅游" in printed.out
    assert "'finish_reason': 'finished'" in crawl(web, **options).err
    other = crawl(web, code=1, **{**options, "topic": "finance"})
    assert "'finance+travel', not 'finance'" in other.err
    assert re.search(r"-a keywords|keywords ", crawl(web, code=1, keywords="定投", **options).err)
