"""Writes the report of a job as one HTML file that can be mailed: without scripts and without external resources."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from topiccrawler.crawling.assemble import topic_of
from topiccrawler.crawling.job_files import read_recipe
from topiccrawler.errors import CrawlerError
from topiccrawler.results.job_pages import JobPages
from topiccrawler.results.summary import Summary, summary_of
from topiccrawler.results.templating import filled_in
from topiccrawler.topics.meaning import as_understood, judging_words, leading_words, naming_terms

BEST_PAGES = 100
MOST_SITES = 100
MOST_KEYWORDS = 60
SITES_OF_EACH = 4  # sites of a community that are listed
WIDTH, HEIGHT = 640, 240  # of the harvest curve, in SVG units


def report(pages: JobPages) -> str:
    """The HTML of the report. StateError for a job whose files cannot be read."""
    # imported here, because the dashboard uses this module without networkx
    from topiccrawler.results.communities import picture
    from topiccrawler.results.graph_views import graph_views

    summary = summary_of(pages.folder)
    graph = graph_views(pages.folder)
    groups = graph.communities
    named = [*groups.drawn, *(url for one in groups.listed for url in one.best)] if groups else []
    titles = pages.titles(named)
    return filled_in(
        "results/templates/report.html",
        job=pages.folder.absolute().name,
        summary=summary,
        sites=summary.sites[:MOST_SITES],
        pages=list(pages.best(limit=BEST_PAGES)),
        curve=curve(summary),
        width=WIDTH,
        height=HEIGHT,
        graph=graph,
        titles=titles,
        picture=picture(groups, titles) if groups else None,
        sites_listed=SITES_OF_EACH,
        **made_from(pages.folder),
    )


def curve(summary: Summary) -> str:
    """The points of the harvest curve as an SVG polyline of WIDTH times HEIGHT: pages fetched to the right, pages kept upwards."""
    across = max(1, summary.fetched)
    points = ((WIDTH * fetched / across, HEIGHT - HEIGHT * kept / across) for fetched, kept in summary.curve)
    return " ".join(f"{right:.1f},{down:.1f}" for right, down in points)


def made_from(folder: Path) -> Mapping[str, Any]:
    """The topic and the settings of a job, as far as its files have them, as values for the report's template."""
    try:
        recipe = read_recipe(folder)
        if recipe is None:
            return {"topic": None, "keywords": [], "settings": {}}
        topic = topic_of(recipe)
        keywords = sorted(topic.keywords.items(), key=lambda entry: (-entry[1], entry[0]))[:MOST_KEYWORDS]
        name = f"{topic.zh} ({topic.name})" if topic.full_name != topic.display_name else topic.display_name
    except CrawlerError as fault:
        return {"topic": None, "keywords": [], "settings": {"job.json": str(fault)}}
    given = {name: value for name, value in recipe.as_json().items() if name != "topic_fields"}
    settings = {name: value for name, value in given.items() if value not in (None, "", [], (), {})}
    if recipe.topic == topic.name:
        settings["topic"] = topic.display_name
    return {
        "topic": name,
        "keywords": keywords,
        "settings": settings,
        "understood": as_understood(topic),
        "judging": list(judging_words(topic).items()),
        "terms": list(naming_terms(topic).items())[:MOST_KEYWORDS],
        "leading": list(leading_words(topic).items())[:MOST_KEYWORDS],
    }
