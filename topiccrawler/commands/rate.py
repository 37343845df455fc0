"""`scrapy rate`: people rate a sample of a job's pages, blind; how far they agree, and how good the crawl was by them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topiccrawler.engine.command import ReportingCommand
from topiccrawler.errors import ArgumentError, file_faults
from topiccrawler.files import user_path

if TYPE_CHECKING:
    from topiccrawler.results.rating import Sample

SHARE_KEYS = ("share", "low", "high", "yes", "of")


class Command(ReportingCommand):
    """The command `scrapy rate`: writes or asks questions about pages, or evaluates answers."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        if sum(map(bool, (opts.write, opts.rater, opts.read))) != 1:
            self.refuse("give one of --write DIR, --rater FILE and --read FILES")
        if not 0 < opts.sample <= 1:
            self.refuse(f"--sample {opts.sample:g}: give a number above 0, at most 1")
        if bool(opts.write) != (opts.raters is not None):
            self.refuse("--write DIR goes with --raters")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.results.jobs import looked_at
        from topiccrawler.results.rating import draw

        with looked_at(args[0], self.data, self.setting("STORE_URL")) as folder:
            sample = draw(folder, opts.sample, opts.seed)
            if opts.write:
                self._write(sample, opts)
            elif opts.rater:
                self._ask(sample, opts)
            else:
                self._read(folder, sample, opts)

    def _write(self, sample: Sample, opts: argparse.Namespace) -> None:
        from topiccrawler.results.rating import write_questions

        place = user_path(opts.write)
        with file_faults(ArgumentError, place, "cannot be made", "name another folder"):
            place.mkdir(parents=True, exist_ok=True)
        files = [place / f"rater-{number}.csv" for number in range(1, opts.raters + 1)]
        if taken := [str(file) for file in files if file.exists()]:
            raise ArgumentError(taken[0], "exists and may be filled in", "name another folder by --write")
        for number, file in enumerate(files, 1):
            write_questions(file, sample.questions(number, opts.seed))
        pages = len(sample.kept) + len(sample.discarded)
        text = f"{pages} pages in each of {', '.join(map(str, files))}: raters write y or n, then scrapy rate … --read FILES"
        self.report(opts, {"pages": pages, "files": list(map(str, files))}, text)

    def _ask(self, sample: Sample, opts: argparse.Namespace) -> None:
        from topiccrawler.results.rating import ask, read_answers, write_answers

        place = user_path(opts.rater)
        known = read_answers(place) if place.exists() else {}
        asked = [one for one in sample.questions(0, opts.seed) if one.url not in known]
        for one in ask(asked, self.say, input):
            if one.answer is not None:
                known[one.url] = one.answer
                write_answers(place, known)  # after each answer, so that none is lost if the terminal closes
        self.say(f"\n{len(known)} answers in {place}")

    def _read(self, folder: Path, sample: Sample, opts: argparse.Namespace) -> None:
        from topiccrawler.lab.agreement import Share, kappa, majority
        from topiccrawler.results.rating import harvest_curve, read_answers

        drawn = {record.url for record in (*sample.kept, *sample.discarded)}
        answers = (read_answers(user_path(file)).items() for file in opts.read)
        ratings = [{url: answer for url, answer in of_one if url in drawn} for of_one in answers]
        if not any(ratings):
            fault = "rate none of the pages drawn"
            remedy = "give the --sample and --seed they were written with"
            raise ArgumentError(", ".join(opts.read), fault, remedy)
        whose, agreement, common = kappa(ratings)
        most = majority(ratings)
        sides = {
            name: Share.of_answers([most[record.url] for record in records if record.url in most])
            for name, records in (("kept", sample.kept), ("discarded", sample.discarded))
        }
        curve = harvest_curve(folder, sample, most)
        found: dict[str, Any] = {"raters": len(ratings), "rated": len(most), "pages": len(drawn)}
        found |= {"kappa": agreement, "kappa_of": whose, "rated_by_all": common}
        found |= {name: {key: getattr(share, key) for key in SHARE_KEYS} for name, share in sides.items()}
        found["curve"] = curve
        self.report(opts, found, self.text("rate", {**found, "counts": map(len, ratings)}))
