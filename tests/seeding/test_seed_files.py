"""Seeds from a file, from an argument, from the topic, from the list that travels with the project."""

from errno import ENOENT
from os import strerror
from pathlib import Path

import pytest

from topiccrawler.errors import SeedsError
from topiccrawler.seeding.seed_files import read_seeds
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.seeds import Seeds


def test_a_file_gives_addresses_in_order_once_and_negatives_apart(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text(
        "\ufeff# where to begin\n"
        "http://a.example/  # the best one\n"
        "\n"
        "  https://b.example/x#part\n"
        "-http://c.example/\n"
        "- http://d.example/\n"
        "http://a.example/\n",
        encoding="utf-8",
    )
    assert read_seeds(str(file)) == Seeds(
        positive=["http://a.example/", "https://b.example/x"],
        negative=["http://c.example/", "http://d.example/"],
    )


@pytest.mark.parametrize(
    "source",
    [
        "http://a.example/,https://b.example/,-http://c.example/",
        "http://a.example/ https://b.example/\n-http://c.example/",
        "http://a.example/, https://b.example/ ,-http://c.example/,",
        "http://a.example/，https://b.example/；-http://c.example/",
    ],
)
def test_addresses_in_one_argument_are_parted_by_commas_or_blanks(source: str) -> None:
    assert read_seeds(source) == Seeds(["http://a.example/", "https://b.example/"], ["http://c.example/"])


def test_a_comma_inside_an_address_parts_nothing() -> None:
    assert read_seeds("http://a.example/n,12,3.html,http://b.example/").positive == [
        "http://a.example/n,12,3.html",
        "http://b.example/",
    ]


@pytest.mark.parametrize(("name", "least"), [("finance", 100), ("travel", 60), ("health", 60)])
def test_without_seeds_of_its_own_a_topic_uses_the_list_that_travels_along(name: str, least: int) -> None:
    seeds = read_seeds(None, load_topic(name))
    assert len(seeds.positive) >= least
    assert seeds.positive[0] == "https://www.hao123.com/"


@pytest.mark.parametrize(
    ("line", "displayed"),
    [
        ("mailto:me@a.example", "'mailto:me@a.example'"),
        ("finance.html", "'finance.html'"),
        ("ftp://a.example/", "'ftp://a.example/'"),
        ("http://[::1", "'http://[::1'"),
        ("http:///path", "'http:///path'"),
        ("http://a.example:99999/", "'http://a.example:99999/'"),
        ("http://a.example/ two", "'http://a.example/ two'"),
        ("http://" + "\u00e9" * 300 + ":x/", "..."),
    ],
)
def test_a_bad_address_names_file_line_and_remedy(tmp_path: Path, line: str, displayed: str) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text(f"http://good.example/\n{line}\n", encoding="utf-8")
    with pytest.raises(SeedsError) as caught:
        read_seeds(str(file))
    message = str(caught.value)
    assert message.startswith(f"{file} line 2: ")
    assert displayed in message
    assert message.endswith(" http://host/path")
    assert len(message) < 300 + len(str(file))


def test_a_host_without_a_scheme_is_an_address_unless_a_file_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = "daohang.example, www.新浪.中国/财经,127.0.0.1:8000/x -news.cn"
    seeds = read_seeds(given)
    punycode = "http://www.xn--efvx5o.xn--fiqs8s/%E8%B4%A2%E7%BB%8F"  # www.新浪.中国/财经
    expected = ["http://daohang.example/", punycode, "http://127.0.0.1:8000/x"]
    assert (seeds.positive, seeds.negative) == (expected, ["http://news.cn/"])
    Path("daohang.example").write_text("www.a.cn/news\n", encoding="utf-8")
    assert read_seeds("daohang.example").positive == ["http://www.a.cn/news"]
    for missing in ("seeds.txt", "lists/财经.txt", "sitemap.xml.gz"):
        with pytest.raises(SeedsError, match=strerror(ENOENT)):
            read_seeds(missing)


@pytest.mark.parametrize(
    ("body", "fault"),
    [(None, strerror(ENOENT)), (b"%PDF-1.4\n1 0 obj", "text"), (b"# nothing\n-http://a.example/\n", "seed")],
)
def test_a_file_without_seeds_is_refused_in_one_line(tmp_path: Path, body: bytes | None, fault: str) -> None:
    file = tmp_path / "seeds.txt"
    if body is not None:
        file.write_bytes(body)
    with pytest.raises(SeedsError) as caught:
        read_seeds(str(file))
    assert caught.value.what == str(file)
    assert fault in caught.value.fault
