"""A small English web to order links on: forty sites of eight subjects and of diaries, and a directory; the same each time.

    python benchmarks/webs/english.py DIR        # DIR/pages.warc and DIR/labels.tsv, for scrapy compare

Each site has sections of one to three subjects beside a diary; a page has a title, three to twelve paragraphs and links to its section, to other
sections and now and then to another site of the subject. A third of the titles name nothing of their subject, one in ten borrows from another, and a
diary speaks of a subject here and there, so no word is a proof. Each site uses two thirds of the words of a subject. Words and sentences are ours.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the package may not be installed
from topiccrawler.replay.warc_writing import write_web

HTML = ("Content-Type", "text/html; charset=utf-8")
DIRECTORY = "http://directory.example/"
SITES, PAGES_A_SECTION, ENTRIES_A_LIST = 40, (12, 70), 20
SUBJECTS = {
    "finance": "stock share bond fund bank investor portfolio dividend yield loan mortgage interest broker equity hedge market index "
    "inflation budget saving pension insurance credit debt currency trader asset tax earnings profit",
    "health": "doctor patient symptom vaccine clinic hospital nurse disease therapy medicine dose diet vitamin sleep heart blood allergy "
    "infection surgery diagnosis diabetes asthma pain muscle nutrition cholesterol immune exercise stress recovery",
    "travel": "hotel flight beach museum itinerary hostel airport passport visa luggage guide tour island ferry resort landmark trail "
    "backpacker cruise booking sightseeing harbour temple coast train map village souvenir lodge season",
    "food": "recipe oven flour butter garlic onion sauce soup salad baking dough spice chicken noodle cheese kitchen simmer roast dessert "
    "herb pepper tomato broth grill vinegar sugar cream knead pastry seasoning",
    "sport": "football goal league striker coach match tournament defender referee penalty champion stadium basketball playoff season "
    "team scorer midfield tennis serve athlete sprint medal transfer kickoff goalkeeper final squad rebound training",
    "garden": "soil seedling compost pruning tomato perennial mulch greenhouse weed blossom bulb hedge lawn watering fertilizer rose "
    "planting harvest pot shrub root leaf pest slug trellis raised sowing frost bed bee",
    "programming": "function compiler variable library debug server database python code thread loop string array class interface "
    "repository commit query algorithm framework container memory pointer exception test deploy parser token cache api",
    "music": "guitar chord album concert melody rhythm singer drum bass studio vinyl playlist lyric tempo violin orchestra jazz choir "
    "amplifier pedal tuning piano songwriter festival chorus verse harmony recording band setlist",
}
WORDS = {
    "finance": "stocks investing dividend",
    "health": "doctor symptoms medicine",
    "travel": "hotel flights sightseeing",
    "food": "recipe baking sauce",
    "sport": "football league coach",
    "garden": "compost pruning seedlings",
    "programming": "python compiler code",
    "music": "guitar album concert",
}
PLAIN = (
    "friend morning window letter street evening story neighbour coffee weather phone photo afternoon book walk rain answer "
    "question year week moment corner table idea visit plan change little quiet early"
).split()
SENTENCES = (
    "The {0} was better than any {1} we had seen, and the {2} came later.",
    "If you ask about the {0}, most people will tell you about the {1} first.",
    "A good {0} needs a {1}, but do not forget the {2}.",
    "Last month I changed my {0} and kept the {1} as it was.",
    "Nobody expects a {0} to work without its {1}.",
    "Here are three things about each {0}: the {1}, the {2} and the price.",
)
TITLES = (
    "How to choose a {0}",
    "{0} and {1}: what we learned",
    "Ten notes on the {0}",
    "Why your {0} matters",
    "The {0} of the {1}",
)
VAGUE = ("Some thoughts", "Week {0}", "Notes, part {0}", "What happened next", "A small update", "Number {0}")


class Written(NamedTuple):
    """One page."""

    url: str
    subject: str  # empty: none
    kind: str  # home | hub | content
    title: str
    body: str

    @property
    def html(self) -> str:
        """The whole page."""
        head = f'<head><meta charset="utf-8"><title>{self.title}</title></head>'
        return f'<!DOCTYPE html><html lang="en">{head}<body>{self.body}</body></html>'


class EnglishWeb:
    """All pages under one seed."""

    def __init__(self, seed: int = 1) -> None:
        self.dice = random.Random(seed)
        self.words: dict[tuple[str, str], list[str]] = {}
        names = list(SUBJECTS)
        self.sections: dict[str, dict[str, int]] = {}
        for number in range(SITES):
            host = f"{self.dice.choice(PLAIN)}{number}.example"
            chosen = [names[number % len(names)], *self.dice.sample(names, self.dice.choice((0, 0, 1, 2)))]
            self.sections[host] = {
                name: self.dice.randint(*PAGES_A_SECTION) for name in dict.fromkeys(chosen)
            }
            self.sections[host]["diary"] = self.dice.randint(*PAGES_A_SECTION)
        self.titles = {
            url: self._title(host, name)
            for host, sections in self.sections.items()
            for name, count in sections.items()
            for url in self._urls(host, name, count)
        }

    def pages(self) -> Iterator[Written]:
        """The directory, then each site."""
        shown = [f'<li><a href="http://{host}/">{self._name(host)}</a></li>' for host in self.sections]
        yield Written(DIRECTORY, "", "hub", "Directory of sites", f"<ul>{''.join(shown)}</ul>")
        for host, sections in self.sections.items():
            links = [
                f'<li><a href="/{self._path(host, name)}/">{self._label(host, name)}</a></li>'
                for name in sections
            ]
            yield Written(
                f"http://{host}/", "", "home", self._name(host), f"<p>Welcome.</p><ul>{''.join(links)}</ul>"
            )
            for name, count in sections.items():
                yield from self._section(host, name, self._urls(host, name, count))

    def _section(self, host: str, name: str, urls: list[str]) -> Iterator[Written]:
        subject = "" if name == "diary" else name
        folder = f"http://{host}/{self._path(host, name)}/"
        for page, start in enumerate(range(0, len(urls), ENTRIES_A_LIST)):
            entries = "".join(
                f'<li><a href="{url}">{self.titles[url]}</a></li>'
                for url in urls[start : start + ENTRIES_A_LIST]
            )
            later = (
                f'<a href="{folder}page{page + 1}/">Older</a>' if start + ENTRIES_A_LIST < len(urls) else ""
            )
            url = f"{folder}page{page}/" if page else folder
            yield Written(
                url, subject, "hub", self._label(host, name), f'<a href="/">Home</a><ul>{entries}</ul>{later}'
            )
        for url in urls:
            near = "".join(
                f'<li><a href="{other}">{self.titles[other]}</a></li>'
                for other in self.dice.sample(urls, min(3, len(urls)))
            )
            others = [site for site, sections in self.sections.items() if name in sections and site != host]
            far = ""
            if subject and others and self.dice.random() < 0.08:
                site = self.dice.choice(others)
                far = f'<p>See also <a href="http://{site}/">{self._name(site)}</a>.</p>'
            menu = '<a href="/">Home</a>' + "".join(
                f'<a href="/{self._path(host, one)}/">{self._label(host, one)}</a>'
                for one in self.sections[host]
            )
            text = "".join(f"<p>{self._paragraph(host, name)}</p>" for _ in range(self.dice.randint(3, 12)))
            yield Written(
                url,
                subject,
                "content",
                self.titles[url],
                f"<nav>{menu}</nav><article>{text}{far}</article><ul>{near}</ul>",
            )

    def _urls(self, host: str, name: str, count: int) -> list[str]:
        return [f"http://{host}/{self._path(host, name)}/{number}.html" for number in range(count)]

    def _path(self, host: str, name: str) -> str:
        """Half of the sites name their sections in addresses."""
        return name if len(host) % 2 else f"c{list(self.sections[host]).index(name)}"

    def _label(self, host: str, name: str) -> str:
        return name.capitalize() if len(host) % 3 else ("Diary" if name == "diary" else "Articles")

    def _name(self, host: str) -> str:
        """Half of the sites say in their names what they are about."""
        first = next(iter(self.sections[host]))
        plain = host.partition(".")[0].capitalize()
        return (
            f"{plain}'s {self._vocabulary(host, first)[0]} pages" if len(host) % 2 else f"{plain} and friends"
        )

    def _vocabulary(self, host: str, name: str) -> list[str]:
        if name == "diary":
            return PLAIN
        if (host, name) not in self.words:
            every = SUBJECTS[name].split()
            self.words[host, name] = self.dice.sample(every, 2 * len(every) // 3)
        return self.words[host, name]

    def _title(self, host: str, name: str) -> str:
        luck = self.dice.random()
        if luck < 0.33:
            return self.dice.choice(VAGUE).format(self.dice.randint(1, 90))
        if luck < 0.43:
            name = self.dice.choice([*SUBJECTS, "diary"])
        return (
            self.dice.choice(TITLES).format(*self.dice.sample(self._vocabulary(host, name), 2)).capitalize()
        )

    def _paragraph(self, host: str, name: str) -> str:
        """A third of the sentences of a subject speak of it, one in ten of those of a diary of anything."""
        said = []
        for _ in range(self.dice.randint(2, 6)):
            luck, of = self.dice.random(), "diary"
            if name != "diary" and luck < 0.35:
                of = name
            elif luck > 0.9:
                of = self.dice.choice(list(SUBJECTS))
            said.append(self.dice.choice(SENTENCES).format(*self.dice.sample(self._vocabulary(host, of), 3)))
        return " ".join(said)


def write(folder: Path, seed: int = 1) -> int:
    """The web as a recording with its labels; how many pages."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = ["#url\ttopics\thow\tkind"]
    pages = list(EnglishWeb(seed).pages())
    write_web(folder / "pages.warc", ((page.url, 200, (HTML,), page.html.encode()) for page in pages))
    rows += (f"{page.url}\t{page.subject}\tplan\t{page.kind}" for page in pages)
    (folder / "labels.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    for name, words in WORDS.items():
        keywords = "".join(f"{word} = 1.0\n" for word in words.split())
        (folder / f"{name}.toml").write_text(
            f'name = "{name}"\nproposed_words = 600\n[keywords]\n{keywords}', encoding="utf-8"
        )
    return len(rows) - 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(f"{write(given.folder, given.seed)} pages in {given.folder}")
