"""Reading rules of a job: from `-a sites=FILE` to what is stored and which links are followed."""

from pathlib import Path

from drawn_crawls import HUB, Crawl, stored

TEXT = "股票基金的净值上涨，投资者因此更看重银行的存款利率和债券的收益率。" * 4
PAGE = (
    "<html><head><title>股票基金</title></head><body><h1>股票基金</h1><b class=name>第一篇</b>"
    f"<div class=lead><p>{TEXT}</p></div><div class=story><p>基金短评，只有这些。</p></div>"
    "<ul class=menu><li><a href=/menu>股票</a></ul><ul class=more><li><a href=/more>基金</a></ul></body></html>"
)
RULES = """[sites."hub.example"]
title = "b.name"
text = "div.story"
links = "ul.more"
"""


def test_a_jobs_rules_say_what_is_stored_and_followed(crawl: Crawl, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(RULES)
    ran = crawl({HUB: PAGE}, sites=tmp_path / "rules.toml")
    assert ran.web.fetched() == [HUB, f"{HUB}more"]
    found = [(url, record.title, record.text) for url, record in stored(ran.job).items()]
    assert found == [(HUB, "第一篇", "基金短评，只有这些。")]


def test_a_job_stays_on_its_sites_and_keeps_no_old_page(crawl: Crawl, tmp_path: Path) -> None:
    dated = '<meta property="article:published_time" content="{}"></head>'
    links = "<a href=/old>股票</a> <a href=/new>基金</a> <a href=http://away.example/>债券</a>"
    new = PAGE.replace("投资者", "银行")
    pages = {
        HUB: PAGE.replace("<b class", links + "<b class"),
        f"{HUB}old": PAGE.replace("</head>", dated.format("2019-05-01")),
        f"{HUB}new": new.replace("</head>", dated.format("2024-05-01")),
        "http://away.example/": PAGE,
    }
    rules = tmp_path / "rules.toml"
    rules.write_text('[sites."hub.example"]\nonly = true\nlinks = "body"\n', encoding="utf-8")
    ran = crawl(pages, sites=rules, since="2020-01-01", formats="html", TOPIC_DUPLICATES="keep")
    assert "http://away.example/" not in ran.web.fetched()
    assert f"{HUB}old" in ran.web.fetched()
    assert set(stored(ran.job)) == {HUB, f"{HUB}new"}
