"""Seeds in files that other programs write: sitemaps, feeds, OPML, bookmarks; recognised by content, hostile ones harmless."""

import gzip
import logging
from pathlib import Path

import pytest
from message_facts import numbers

from topiccrawler.errors import SeedsError
from topiccrawler.pages.formats.listings import MOST_BYTES
from topiccrawler.seeding.seed_files import MOST_LIST_BYTES, MOST_SEEDS, read_seeds

A, B = "http://a.example/", "https://b.example/x?y=1&z=2"
URLSET = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    f"<url><loc> {A} </loc></url><url><loc>{B.replace('&', '&amp;')}</loc></url><url><loc>{A}</loc></url></urlset>"
)
INDEX = f"<sitemapindex><sitemap><loc>{A}</loc></sitemap><sitemap><loc>{B.replace('&', '&amp;')}</loc></sitemap></sitemapindex>"
RSS = f"<rss version='2.0'><channel><link>http://own.example/</link><item><title>一</title><link>{A}</link></item><item><guid>{B.replace('&', '&amp;')}</guid></item></channel></rss>"
ATOM = f"""<?xml version="1.0"?><!-- made by hand --><feed xmlns="http://www.w3.org/2005/Atom"><link href="http://own.example/"/>
<entry><link rel="edit" href="http://edit.example/"/><link href="{A}"/></entry><entry><link href="{B.replace("&", "&amp;")}"/></entry></feed>"""
RDF = f'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><item><link>{A}</link></item><item><link>{B.replace("&", "&amp;")}</link></item></rdf:RDF>'
OPML = f"""<opml version="2.0"><head><title>订阅</title></head><body><outline text="财经"><outline type="rss" xmlUrl="http://a.example/rss" htmlUrl="{A}"/>
<outline type="rss" xmlUrl="{B.replace("&", "&amp;")}"/></outline></body></opml>"""
BOOKMARKS = f"""<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8"><TITLE>Bookmarks</TITLE><H1>Bookmarks</H1>
<DL><p><DT><H3>财经</H3><DL><p><DT><A HREF="{A}" ADD_DATE="1" ICON="data:image/png;base64,{"A" * 210_000}">一</A>
<DT><A HREF="{B.replace("&", "&amp;")}">二</A></DL><p></DL>"""
WRITTEN = {"urlset": URLSET, "index": INDEX, "rss": RSS, "atom": ATOM, "rdf": RDF, "opml": OPML, "bookmarks": BOOKMARKS}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "whatever.dat"


@pytest.mark.parametrize("kind", WRITTEN)
@pytest.mark.parametrize("pack", [str.encode, lambda text: gzip.compress(text.encode()), lambda text: text.encode("utf-8-sig")])  # fmt: skip
def test_addresses_are_taken_whatever_the_name(file: Path, kind: str, pack: object) -> None:
    file.write_bytes(pack(WRITTEN[kind]))  # type: ignore[operator]
    assert read_seeds(str(file)).positive == [A, B]


def test_all_parts_of_a_gzip_file_are_read(file: Path) -> None:
    file.write_bytes(gzip.compress(f"{A}\n".encode()) + gzip.compress(f"{B}\n".encode()))
    assert read_seeds(str(file)).positive == [A, B]


@pytest.mark.parametrize("encoding", ["gbk", "gb18030", "utf-16", "utf-8-sig"])
def test_files_in_other_encodings_are_read(file: Path, encoding: str) -> None:
    file.write_bytes(f"# 从这里开始，这是一个种子文件\n{A}  # 最好的网站\n".encode(encoding))
    assert read_seeds(str(file)).positive == [A]
    label = encoding.removesuffix("-sig")
    opml = OPML.replace("<opml", f'<?xml version="1.0" encoding="{label}"?><opml', 1)
    file.write_bytes(opml.encode(encoding))
    assert read_seeds(str(file)).positive == [A, B]


def test_what_is_no_web_address_is_counted_and_told_in_one_line(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    more = '<DT><A HREF="javascript:alert(1)">x</A><DT><A HREF="place:sort=8">y</A><A HREF="ftp://f.example/">z</A><A HREF="http://">w</A>'
    file.write_text(BOOKMARKS + more, encoding="utf-8")
    with caplog.at_level(logging.INFO):
        assert read_seeds(str(file)).positive == [A, B]
    [reported] = caplog.messages
    assert (str(file) in reported, "bookmarks" in reported) == (True, True)
    assert numbers(reported.replace(str(file), "")) == ["2", "4"]


def test_a_sitemap_gives_no_more_than_the_protocol_allows(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows = "".join(f"<url><loc>http://a.example/{number}</loc></url>" for number in range(MOST_SEEDS + 7))
    file.write_text(f"<urlset>{rows}</urlset>", encoding="utf-8")
    assert len(read_seeds(str(file)).positive) == MOST_SEEDS
    [reported] = caplog.messages
    assert numbers(reported.replace(str(file), ""))[-2:] == ["7", str(MOST_SEEDS)]


BOMB = '<!DOCTYPE opml [<!ENTITY a "http://a.example/">' + "".join(
    f'<!ENTITY {name} "{f"&{before};" * 50}">' for before, name in zip("abcdef", "bcdefg", strict=True)
)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (f"{BOMB}]><opml><body><outline htmlUrl='&g;'/></body></opml>", ""),
        (f"{BOMB}]><urlset><url><loc>&g;</loc></url></urlset>", "http(s)"),
        ('<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/hostname">]><rss><item><link>&x;</link></item></rss>', "http(s)"),
        (f"<urlset>{'<url>' * 200_000}", "http(s)"),
        (f"<!DOCTYPE NETSCAPE-Bookmark-file-1>{'<DL><B>' * 200_000}", "http(s)"),
        ("<html><body><a href='http://a.example/'>a</a></body></html>", "web page"),
        ("<!doctype HTML>\n<p>x", "web page"),
        ("<svg xmlns='http://www.w3.org/2000/svg'/>", "(<svg>)"),
        ("<", "XML"),
        (b"\x1f\x8b damaged", "gzip"),
        (gzip.compress(f"{A}1\n{A}2\n".encode(), mtime=0)[:-9], "gzip"),
        (gzip.compress(b" " * (MOST_LIST_BYTES + 1), 1), f"{MOST_LIST_BYTES} bytes"),
        (b"<urlset>" + b" " * MOST_BYTES, f"{MOST_BYTES} bytes"),
        (b"SQLite format 3\0\x10\0\x02\x02\0\x40", "text"),
    ],
)  # fmt: skip
def test_hostile_and_wrong_files_end_in_one_clear_line(file: Path, body: str | bytes, fault: str) -> None:
    file.write_bytes(body.encode() if isinstance(body, str) else body)
    with pytest.raises(SeedsError) as caught:
        read_seeds(str(file))
    message = str(caught.value)
    assert message.startswith(f"{file}: ")
    assert fault in message
    assert "; " in message
    assert len(message) < 400 + len(str(file))


def test_captions_of_pictures_are_not_told_as_addresses_left_out(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file.write_text(
        f"<urlset><url><loc>{A}</loc><i><caption>基金</caption></i></url></urlset>", encoding="utf-8"
    )
    assert read_seeds(str(file)).positive == [A]
    assert "left out" not in caplog.text
