"""`scrapy read` as users run it: files, standard input and pages of a server."""

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from drawn_crawls import json_lines
from drawn_web import answer
from forked_scrapy import ROOT, ForkedScrapy, scrapy_environment

from topiccrawler import ReadPage, read

URL = "http://a.example/2024/03/05/fund.html"
SENTENCES = "基金定投是长期投资基金的方法，投资者每月买入同一只基金，净值低时买到的份额更多。" * 15
LINKS = "".join(f'<p>前文 <a href="/p{n}.html">第{n}篇</a> 后文' for n in range(12))
HTML = f"""<html><head><title>基金定投怎么做</title><meta name="author" content="李明"></head>
<body><h1>基金定投怎么做</h1><p>{SENTENCES}</p>{LINKS}</body></html>"""
TRADITIONAL = (
    "<title>足球聯賽</title><h1>足球聯賽</h1><p>" + "球隊昨晚進球，球迷在體育場歡呼，裁判吹響終場哨。" * 5
)
FEED = """<rss version="2.0"><channel><title>基金新闻</title><item><title>债券基金</title>
<link>http://a.example/bond</link></item></channel></rss>"""
OF_TOPIC = ["topic", "relevance", "threshold", "kept", "similarity", "why", "leading"]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_bytes(HTML.encode("gbk"))
    return path


def written_pdf(text: str) -> bytes:
    """A PDF of one page with this text, which must be ASCII."""
    stream = f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, io.SEEK_END)
    for number, source in enumerate(objects, 1):
        out.write(f"{number} 0 obj\n{source}\nendobj\n".encode())
    out.write(f"trailer << /Root 1 0 R /Size {len(objects) + 1} >>\n".encode())
    return out.getvalue()


def test_json_has_the_fields_of_read_in_their_order(forked_scrapy: ForkedScrapy, page: Path) -> None:
    ran = forked_scrapy("read", str(page), "--url", URL, "--json")
    assert (ran.code, ran.err, ran.out.count("\n")) == (0, "", 1)
    found = json.loads(ran.out)
    names = [field.name for field in fields(ReadPage)]
    assert list(found) == names[: names.index("topic")]
    by_python = read(HTML.encode("gbk"), URL)
    same = set(found) - {"links"}
    assert {name: found[name] for name in same} == {name: getattr(by_python, name) for name in same}
    assert (found["published"], found["author"], found["language"]) == ("2024-03-05", "李明", "zh-Hans")
    assert len(found["links"]) == 12
    assert found["links"][3] == {"url": "http://a.example/p3.html", "anchor": "第3篇", **found["links"][3]}
    assert list(found["links"][3]) == ["url", "anchor", "context"]
    assert re.search(r"前文 第3篇 后文", found["links"][3]["context"])


def test_with_a_topic_it_says_what_a_crawl_would_do_and_why(forked_scrapy: ForkedScrapy, page: Path) -> None:
    found = json.loads(forked_scrapy("read", str(page), "--topic", "finance", "--json").out)
    by_python = read(HTML.encode("gbk"), topic="finance")
    assert list(found)[-len(OF_TOPIC) :] == OF_TOPIC
    assert (found["topic"], found["threshold"], found["kept"]) == ("finance", 0.5, True)
    assert found["relevance"] == pytest.approx(by_python.relevance, abs=1e-4)
    assert found["similarity"] == pytest.approx(by_python.similarity, abs=1e-4)
    assert found["why"] == [[word, round(share, 4)] for word, share in by_python.why]
    assert sum(share for _, share in found["why"]) == pytest.approx(found["relevance"], abs=2e-3)
    of_setting = json.loads(forked_scrapy("read", str(page), "-s", "TOPIC=sport", "--json").out)
    assert (of_setting["topic"], of_setting["kept"]) == ("sport", False)
    lines = forked_scrapy("read", str(page), "--topic", "finance").out.splitlines()
    at = lines.index(f"relevance  {found['relevance']:.4f} >= 0.5000: kept by topic finance")
    assert lines[at + 1].startswith(f"similarity {found['similarity']:.4f}, ")
    assert [line.split()[1] for line in lines[at + 2 : at + 4]] == [word for word, _ in found["why"][:2]]


def test_text_is_short_unless_all_is_asked_for(forked_scrapy: ForkedScrapy, page: Path) -> None:
    ran = forked_scrapy("read", str(page), "--url", URL)
    lines = ran.out.splitlines()
    assert lines[0] == URL
    assert " ".join(" ".join(lines[1:4]).split()) == "title 基金定投怎么做 published 2024-03-05 modified -"
    assert "encoding   gb18030" in lines
    whole = read(HTML.encode("gbk"), URL).text
    assert f"\n{whole[:500]}\n" in ran.out
    urls = [f"http://a.example/p{n}.html" for n in range(12)]
    assert re.findall(r"^  (http\S+)$", ran.out, re.MULTILINE) == urls[:10]
    assert "[第9篇]" in lines[-1]
    full = forked_scrapy("read", str(page), "--url", URL, "--full").out
    assert whole in full
    assert re.findall(r"^  (http\S+)$", full, re.MULTILINE)[10:] == urls[10:]


def test_a_file_has_no_day_and_no_relative_links_by_its_own_path(
    forked_scrapy: ForkedScrapy, tmp_path: Path
) -> None:
    file = tmp_path / "2024" / "03" / "05" / "page.html"
    file.parent.mkdir(parents=True)
    file.write_text(HTML, encoding="utf-8")
    found = json.loads(forked_scrapy("read", str(file), "--json").out)
    assert (found["url"], found["published"], found["links"]) == (str(file), "", [])
    assert "relative ones need --url" in forked_scrapy("read", str(file)).out


def test_standard_input_is_read(page: Path) -> None:
    words = [sys.executable, "-m", "scrapy", "read", "-", "--url", URL, "--json"]
    environment = scrapy_environment(None, {})
    with page.open("rb") as body:
        ran = subprocess.run(
            words, cwd=ROOT, env=environment, stdin=body, capture_output=True, text=True, check=False
        )
    assert (ran.returncode, ran.stderr) == (0, "")
    found = json.loads(ran.stdout)
    assert (found["url"], found["title"], found["encoding"]) == (URL, "基金定投怎么做", "gb18030")


def test_pages_of_all_kinds_are_fetched_and_reported_in_the_order_of_the_call(
    forked_scrapy: ForkedScrapy, draw_web: Callable[..., Any], page: Path
) -> None:
    named = f"http://a.example/{quote('基金', encoding='gbk')}/{quote('定投')}.html"
    big5 = "http://b.example/match"
    web = draw_web({
        named: answer(200, HTML.encode("gbk"), Content_Type="text/html; charset=gbk"),
        "http://a.example/moved": answer(302, Location=big5),
        big5: answer(200, TRADITIONAL.encode("big5"), Content_Type="text/html"),
        "http://c.example/report.pdf": answer(
            200, written_pdf("Bond funds rise again"), Content_Type="application/pdf"
        ),
        "http://c.example/feed": answer(200, FEED.encode(), Content_Type="application/rss+xml"),
    })  # fmt: skip
    places = [
        named,
        "http://a.example/moved",
        str(page),
        "http://c.example/report.pdf",
        "http://c.example/feed",
    ]
    ran = forked_scrapy("read", *places, "--topic", "finance", "--json", proxy=web.proxy)
    assert (ran.code, ran.err) == (0, "")
    found = json_lines(ran.out)
    assert [(one["url"], one["format"], one["encoding"], one["kept"]) for one in found] == [
        (named, "html", "gb18030", True),
        (big5, "html", "big5hkscs", False),
        (str(page), "html", "gb18030", True),
        (places[3], "pdf", "utf-8", found[3]["kept"]),
        (places[4], "feed", "utf-8", found[4]["kept"]),
    ]
    assert [one["title"] for one in found[:2]] == ["基金定投怎么做", "足球聯賽"]
    assert (found[1]["language"], found[3]["text"]) == ("zh-Hant", "Bond funds rise again")
    assert found[0]["links"][0]["url"].startswith(named.rpartition("/")[0].rpartition("/")[0])
    assert [link["url"] for link in found[4]["links"]] == ["http://a.example/bond"]
    assert sorted(web.fetched()) == sorted({named, "http://a.example/moved", big5, places[3], places[4]})
    twice = forked_scrapy("read", big5, f"{big5}#top", big5, "--json", proxy=web.proxy)
    assert [one["title"] for one in json_lines(twice.out)] == ["足球聯賽"] * 3
    typed = forked_scrapy("read", "http://a.example/基金/x", proxy=web.proxy)
    assert web.fetched()[-1] == f"http://a.example/{quote('基金')}/x"
    assert typed.code == 1


def test_robots_txt_and_recordings_count_as_in_a_crawl(
    forked_scrapy: ForkedScrapy, draw_web: Callable[..., Any], tmp_path: Path
) -> None:
    closed = "User-agent: *\nDisallow: /"
    web = draw_web({"http://a.example/robots.txt": closed, "http://a.example/p": HTML})
    ran = forked_scrapy("read", "http://a.example/p", proxy=web.proxy)
    assert (ran.code, ran.out, web.fetched()) == (1, "", [])
    assert re.fullmatch(
        r"http://a\.example/p: was not fetched: .*robots\.txt.*; try again, or give a file\n", ran.err
    )
    nothing = tmp_path / "web.warc"
    nothing.touch()
    ran = forked_scrapy("read", "http://a.example/q", "-s", f"REPLAY_WARC={nothing}", proxy=web.proxy)
    assert (ran.code, web.fetched()) == (1, [])


def test_what_cannot_be_read_is_one_line_and_the_rest_is_read(
    forked_scrapy: ForkedScrapy, draw_web: Callable[..., Any], tmp_path: Path, page: Path
) -> None:
    web = draw_web({"http://a.example/p": HTML})
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 nothing")
    wrong = {
        "/no/such/file": "cannot be read: No such file or directory; give a file, ",
        str(tmp_path): "cannot be read: Is a directory; give a file, ",
        "ftp://x/": "is no http(s) URL; write it as http://host/path",
        "http://a.example/gone": "answers 404; give the address of a page",
        str(broken): "cannot be read as pdf: damaged (",
    }
    places = [str(page), *wrong, "http://a.example/p"]
    ran = forked_scrapy("read", *places, proxy=web.proxy)
    assert ran.code == 1
    for line, (place, message) in zip(ran.err.splitlines(), wrong.items(), strict=True):
        assert line.startswith(f"{place}: {message}")
    assert re.findall(r"^title +(.+)$", ran.out, re.MULTILINE) == ["基金定投怎么做"] * 2
    faulty = json.loads(forked_scrapy("read", str(broken), "--json").out)
    assert (faulty["format"], faulty["text"], faulty["fault"][:7]) == ("pdf", "", "damaged")
    large = forked_scrapy("read", str(page), "-s", "DOWNLOAD_MAXSIZE=100")
    assert (large.code, large.err.startswith(f"{page}: is larger than 100 bytes; ")) == (1, True)


def test_what_a_page_asks_for_declares_and_tells_of_persons_is_printed(
    forked_scrapy: ForkedScrapy, draw_web: Callable[..., Any]
) -> None:
    head = '<meta name="robots" content="noindex, noai">'
    licence = '<p>本文采用 <a rel="license" href="https://creativecommons.org/licenses/by/4.0/deed.zh">CC BY</a> 协议，电话 13800138000。</p>'
    html = HTML.replace("<head>", f"<head>{head}").replace("</h1>", f"</h1>{licence}")
    robots = b"User-agent: *\nContent-Usage: /fund train-ai=n\nContent-Signal: search=yes\n"
    web = draw_web({
        "http://a.example/robots.txt": answer(200, robots, Content_Type="text/plain"),
        "http://a.example/fund": answer(
            200, html.encode("gbk"), Content_Type="text/html; charset=gbk", X_Robots_Tag="nofollow", tdm_reservation="1"
        ),
    })  # fmt: skip
    words = ("read", "http://a.example/fund", "--topic", "finance")
    found = json.loads(forked_scrapy(*words, "--json", proxy=web.proxy).out)
    assert {name: found[name] for name in ("robots", "usage", "licence", "personal_data", "kept")} == {
        "robots": "noindex (meta robots), nofollow (X-Robots-Tag)",
        "usage": "train-ai=n; source=robots.txt | search=y; source=robots.txt Content-Signal | train-ai=n; source=meta robots"
        " | tdm=n; source=header tdm-reservation",
        "licence": "CC-BY-4.0; url=https://creativecommons.org/licenses/by/4.0/; source=rel=license",
        "personal_data": "phone=1",
        "kept": False,
    }
    said = forked_scrapy(*words, proxy=web.proxy).out
    assert f"{found['relevance']:.4f} >= 0.5000: not kept by topic finance, as it asks: noindex" in said
    assert "licence    CC-BY-4.0; url=" in said
    obeying_none = forked_scrapy(*words, "--json", "-s", "TOPIC_ROBOTS_TAGS_OBEY=False", proxy=web.proxy)
    assert json.loads(obeying_none.out)["kept"] is True
