from dataclasses import replace
from pathlib import Path

import numpy as np

from topiccrawler.lab.training.detail_model import save_detail
from topiccrawler.relevance.detail import FILE, DetailClassifier, DetailReader, detail_svm, load_detail

TEXT = "<p>" + "基金净值今日上涨投资者应当注意" * 15
ARTICLE = (TEXT * 5 + "".join(f"<a href=/{n}>首页</a>" for n in range(10))).encode()
LINKS = ("<p>基金网站大全列表" + "".join(f"<li><a href=/{n}>基金{n}</a></li>" for n in range(80))).encode()


MACHINE = DetailClassifier(  # the nearer to text 2, links -4, one block of five: exp(-d²) - .01, so d < 2.15
    1.0, np.zeros(3), np.ones(3), np.array([[2.0, -4.0, 0.2]]), np.array([1.0]), -0.01
)


class Classifier:
    """Holds every page for half relevant."""

    threshold = similarity_threshold = 0.5
    reads_segments = False

    def similarity(self, words: object) -> float:
        return 0.4

    def relevance(self, words: object) -> float:
        return 0.5


def test_a_text_is_a_detail_page_and_a_list_of_links_is_none() -> None:
    """Text: 570 words in five blocks, 10 links: 2.5, -5.7, .2. List: 4 words outside 80 links of 160 words: -4.3, -1."""
    reader = DetailReader(Classifier(), MACHINE)
    pages = [
        reader.read(f"http://a.example/{n}", body, "utf-8").page for n, body in enumerate((ARTICLE, LINKS))
    ]
    assert [page.is_detail for page in pages] == [True, False]


def test_a_page_without_a_word_outside_links_is_none_whatever_the_svm_says() -> None:
    always = replace(MACHINE, bias=1.0)
    bodies = [b"", b"\x00" * 500, b"%PDF-1.4 broken", b"<a href=/>only a link</a>", b"a word"]
    pages = [DetailReader(Classifier(), always).read("http://a.example/", body).page for body in bodies]
    assert [page.is_detail for page in pages] == [False, False, False, False, True]


def test_a_folder_of_models_may_bring_its_own_svm(tmp_path: Path) -> None:
    assert detail_svm(tmp_path).gamma == load_detail().gamma
    place = tmp_path / FILE
    place.parent.mkdir()
    own = replace(load_detail(), gamma=9.5)
    save_detail(own, place)
    assert detail_svm(tmp_path).gamma == 9.5
