"""Reads a finished job into pandas: which sites gave how many pages, and how relevant they are.

    python examples/job_in_pandas.py JOB_FOLDER

Needs pandas.
"""

import sys
from urllib.parse import urlsplit

from topiccrawler import Job


def main() -> None:
    pages = Job(sys.argv[1]).dataframe()
    sites = pages.assign(site=pages["url"].map(lambda url: urlsplit(url).hostname))
    table = sites.groupby("site")["relevance"].agg(["count", "mean"]).sort_values("count", ascending=False)
    print(table.head(10).to_string(float_format="%.2f"))


if __name__ == "__main__":
    main()
