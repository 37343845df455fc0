"""Crawls for three words and shows the pages as they come, then the best of them.

    python examples/crawl_from_python.py SEED_URL PAGES [NAME=VALUE …]

Each NAME=VALUE is a setting, as `scrapy crawl -s` takes it.
"""

import sys

from topiccrawler import crawl


def main() -> None:
    seed, pages, *settings = sys.argv[1:]
    given = dict(setting.split("=", 1) for setting in settings)
    with crawl(keywords=["基金", "股票", "理财"], seeds=[seed], pages=int(pages), settings=given) as job:
        for page in job.pages():
            print(f"{page.relevance:.2f}  {page.title}  {page.url}")
    summary = job.summary()
    print(f"{summary.kept} of {summary.fetched} pages kept; the best:")
    for page in job.best(3, min_relevance=0.1):
        words = ", ".join(word for word, _ in job.why(page.url).words[:5])
        print(f"{page.title}: {words}")
    print(f"the job: {job.folder}")


if __name__ == "__main__":
    main()
