"""The plan keeps what the web promises."""

from topiccrawler.lab.demo.plan import MIXED, Web


def test_truth_knows_pages_in_any_spelling_and_nothing_else(web: Web) -> None:
    assert web.truth("http://finance.yunting.example/") == "finance"
    assert web.truth("http://FINANCE.yunting.example:80/index.html?utm_source=x#top") == "finance"
    assert web.truth("http://www.beichuang.example/tiyu/") == "sport"
    assert web.truth("http://daohang.example/") == MIXED
    assert web.truth("http://finance.yunting.example/gone.html") is None
    assert web.truth("http://nobody.example/") is None
    assert web.truth("http://[broken") is None
