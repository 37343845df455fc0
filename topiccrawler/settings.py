"""Settings of the project, grouped. A name that begins with TOPIC_ or FRONTIER_ is ours; the rest is Scrapy's.

All but the first four are the defaults of a spider with a topic in a project of another name too (engine.faults).

To add one: upper case, unit in the name, a line that says why, and a row in docs/settings.md.
"""

# --- the project -------------------------------------------------------------------------------------------------
BOT_NAME = "topiccrawler"
SPIDER_MODULES = ["topiccrawler.spiders"]
NEWSPIDER_MODULE = "topiccrawler.spiders"
COMMANDS_MODULE = "topiccrawler.commands"

ADDONS = {"topiccrawler.addon.Addon": 500}  # turns REPLAY_WARC into download handlers
LOG_LEVEL = "INFO"
STATS_DUMP = False  # they are in stats.json of the job; True: on the log too, before the last lines
# a failed download is a line, no traceback
LOG_FORMATTER = "topiccrawler.engine.log_formatter.CrawlLogFormatter"
RETRY_GIVE_UP_LOG_LEVEL = "DEBUG"  # the failure that follows is logged

# --- what to crawl -----------------------------------------------------------------------------------------------
TOPIC = None  # the topic when no `-a topic=` is given
# the strategy when no `-a strategy=` is given (docs/lab/adaptive.md has the comparison)
TOPIC_STRATEGY = "adaptive"
# what keeps the queue: name of a frontier of another package (docs/parts.md); None = memory, JOBDIR or REDIS_URL
TOPIC_FRONTIER = None
TOPIC_SEARCH_URL = None  # address of a SearXNG instance that `scrapy seeds` asks; None = none is asked
# folder of link models; None = those shipped in models/ (without one: the topic's keywords); "none" = the keywords; "paper" = the
# naive Bayes as published, shipped for finance
TOPIC_LINK_MODELS = None
# True: naive_bayes learns from each page fetched (-a strategy_learn=true); None = its default
TOPIC_LEARN = None
TOPIC_LINK_THRESHOLD = None  # 0..1; None = the topic's own; 0 = every link passes the gate
TOPIC_PROPOSED_WORDS = 600  # words added to a topic of `-a keywords=` alone (topics.meaning); 0 = none
TOPIC_LINKING_PAGE = 0.5  # 0..1: how much the relevance of the linking page counts in what is kept (relevance.base); 0 = not at all
TOPIC_PAGE_CLASSIFIER = "vsm"  # what decides whether a page is about the topic: vsm, cosine, naive_bayes, svm (docs/page-classifiers.md)
# folder with page_classifiers/TOPIC.CLASSIFIER.json; None = those shipped in models/
TOPIC_PAGE_CLASSIFIER_MODELS = None
TOPIC_TITLE_READER = "title_tag"  # title_tag | skyreach: by the look of the line above the text
TOPIC_SITES_FILE = None  # TOML file of reading rules by site, over those of the topic; `-a sites=` goes first
# all | relevant: whose links are followed; None = as the strategy's paper has it (mostly all)
TOPIC_EXPAND = None
TOPIC_LISTINGS = False  # True: sites with relevant pages are asked for feeds and sitemaps (docs/listings.md)
TOPIC_LISTINGS_AFTER = 2  # relevant pages of a host before it is asked
# file for word similarity, Cilin format; None = ours (text.thesaurus); "none" = equal words
TOPIC_THESAURUS = None
TOPIC_SEED = 0  # of random_order
# for reading one PDF or Office file, the start of its reader included; then it counts as unreadable
TOPIC_FILE_SECONDS = 10.0
TOPIC_CONTEXT_CHARACTERS = 60  # characters of context on each side of a link (papers: NB 2010 §3.3)
TOPIC_URL_PARAMETERS_DROPPED: list[
    str
] = []  # query parameters to drop besides the known tracking ones (urls.canonical)

# --- where it is written -----------------------------------------------------------------------------------------
# writable state; each job has a folder of its own in it (or in JOBDIR when that is set)
TOPIC_DATA_DIR = "data"
TOPIC_JOB = None  # name of the job's folder; None = scrapyd's job id, else topic, time and process
# a page whose text is known already, exactly or nearly: alias = kept without text as alias of the first; drop; keep = not compared
TOPIC_DUPLICATES = "alias"
# address of a PostgreSQL database, postgresql://USER@HOST/DATABASE, that has the pages of all processes and jobs; None = a file in
# each job's folder (docs/scaling.md)
STORE_URL = None
TOPIC_INDEX = True  # pages are indexed as they are kept; False = by the first `scrapy search`
# pages found off topic that are kept too, drawn at random, to learn from and to rate; 0 = none
TOPIC_DISCARDED_SAMPLE = 1000
TOPIC_DUPLICATES_ACROSS_SITES = True  # False: only pages of one registered domain are compared

TOPIC_REVISIT_SHARE = 0.5  # 0..1: of `-a pages=` what `-a revisit=true` takes; the rest fetches new pages

# True: all links of the pages fetched are kept, for the link graph (eight bytes a link)
TOPIC_LINK_GRAPH = False
WARC_OUT = None  # FILE.warc.gz: write what is fetched, in any command and spider (docs/results.md)
WARC_OUT_MAX_BYTES = 1_000_000_000  # then the next file begins

# --- politeness --------------------------------------------------------------------------------------------------
USER_AGENT = "topiccrawler/0.1 (focused web crawler; +{contact})"  # {contact} = TOPIC_CONTACT
TOPIC_CONTACT = None  # contact in the User-Agent: mailto:… or a page; None = mailto:abuse@ this machine
ROBOTSTXT_OBEY = True
# Scrapy's, in a fortieth of the memory
ROBOTSTXT_PARSER = "topiccrawler.engine.politeness.CompactRobotParser"
DOWNLOAD_DELAY = 1.0  # seconds between two requests to one host; robots.txt and AutoThrottle only lengthen it
# the frontier's clock and the downloader's must agree; jitter would delay leased pages
DOWNLOAD_DELAY_JITTER = 0
CONCURRENT_REQUESTS_PER_DOMAIN = 1
CONCURRENT_REQUESTS = 32
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 1.0
AUTOTHROTTLE_MAX_DELAY = 30.0
FRONTIER_CRAWL_DELAY_MAX_SECONDS = 60.0  # a longer Crawl-delay in robots.txt is cut to this
# first back-off of a host after 429 or 503 without Retry-After; doubles each time
FRONTIER_BACKOFF_SECONDS = 10.0
FRONTIER_BACKOFF_MAX_SECONDS = 3600.0  # no host backs off longer, whatever Retry-After says
# what a crawl is for: "time" = most relevant pages an hour, "fetches" = most relevant pages per page fetched;
# None = fetches when `-a pages=` bounds them, time otherwise (`-a objective=`; docs/decisions/patience.md has the table)
TOPIC_OBJECTIVE = None
# how long a slot waits for a host with a much better URL; 0 = fetch what is ready, even if poor
FRONTIER_PATIENCE_SECONDS = 2.0
FRONTIER_IDLE_SHARE = 0.15  # share of CONCURRENT_REQUESTS that may wait so when the objective is time

# --- the queue ---------------------------------------------------------------------------------------------------
SCHEDULER = "topiccrawler.engine.scheduler.FocusedScheduler"
FRONTIER_LEASE_SECONDS = 600.0  # a lease older than this is put back to waiting
# with JOBDIR, queued URLs whose rank is kept in memory (120 bytes each); the others are bare numbers; 0 = all
FRONTIER_MEMORY_URLS = 100_000
# address of a Redis server, redis://USER:PASSWORD@HOST:6379/0, or of any node of a Redis Cluster: processes with the same `-a job=` share
# one crawl (docs/scaling.md)
REDIS_URL = None
FRONTIER_WORKER_SECONDS = 30.0  # with Redis, a process that gave no sign for so long is taken for dead
# the crawl waits so long for a Redis or a PostgreSQL that is away, then it ends
FRONTIER_OUTAGE_SECONDS = 600.0
# with Redis, between two states of what one process has learned from the pages of all
FRONTIER_LEARNING_SECONDS = 0.3
FRONTIER_CHECKPOINT_PAGES = 100  # pages between two writes of the strategy's state; more when it is long
# what a host may be asked for (frontier.budgets); 0 = no bound. Its other URLs wait and are shown by `scrapy frontier`
FRONTIER_HOST_PAGES = 0  # pages of one host
FRONTIER_DOMAIN_PAGES = 0  # pages of one registered domain (a.example.com.cn and b.example.com.cn share it)
# pages in a row that were neither on topic and new nor led to such a page
FRONTIER_HOST_UNPRODUCTIVE_PAGES = 200
# the same for URLs that differ in numbers and query only; then discarded
FRONTIER_SHAPE_UNPRODUCTIVE_PAGES = 100
# pages of a site that only links itself and that only one other links (frontier.sites)
FRONTIER_UNPROVEN_PAGES = 500
# no site gets more of the latest requests than its proofs allow while others have promising URLs (frontier.host_ranking)
FRONTIER_FAIR_SHARES = True
# forms of URLs taken for traps (frontier.budgets), discarded unfetched; 0 = not checked
FRONTIER_PATH_SEGMENTS_MAX = 16
FRONTIER_SEGMENT_REPEATS_MAX = 3  # times one path segment or one query name may stand in a URL
FRONTIER_QUERY_PARAMETERS_MAX = 12
FRONTIER_CALENDAR_YEARS_MAX = 2  # years ahead that a date in a URL may lie

# --- the way of the data -----------------------------------------------------------------------------------------
DOWNLOADER_MIDDLEWARES = {
    "topiccrawler.engine.middlewares.LinkGateMiddleware": 50,
    "topiccrawler.engine.rendering.RenderingMiddleware": 55,
    "topiccrawler.engine.private_network.SiteAccessMiddleware": 90,
    "topiccrawler.engine.reading.DocumentMiddleware": 60,  # behind decompression on the way back
    "topiccrawler.engine.private_network.PrivateNetworkMiddleware": 760,
}
SPIDER_MIDDLEWARES = {
    "topiccrawler.engine.middlewares.LeaseEndMiddleware": 10,
    "topiccrawler.engine.middlewares.OutlinksMiddleware": 1100,
}
ITEM_PIPELINES = {
    "topiccrawler.engine.pipelines.RelevancePipeline": 300,
    "topiccrawler.engine.pipelines.NearDuplicatePipeline": 500,
    "topiccrawler.engine.pipelines.StoragePipeline": 800,
}
EXTENSIONS = {
    "topiccrawler.engine.progress.Progress": 100,
    "topiccrawler.engine.ending.Ending": 110,
    "topiccrawler.engine.control.extension.Control": 120,
    "topiccrawler.engine.feeds.FatalFeedExporter": 0,
    "scrapy.extensions.feedexport.FeedExporter": None,  # the one above extends it
    "scrapy.extensions.logstats.LogStats": None,  # Progress says more
    "scrapy.extensions.spiderstate.SpiderState": None,  # a pickle; our state lies in the frontier
}
TOPIC_PROGRESS_SECONDS = 30.0  # seconds between progress lines in a log; on a terminal the line is live
# the running crawl answers `scrapy control JOB …`: on, since who starts a crawl does not know yet that he will want to pause it
TOPIC_CONTROL = True
# address it listens on; another one lets other machines in that have the token
TOPIC_CONTROL_HOST = "127.0.0.1"
TOPIC_CONTROL_PORT = 0  # 0 = one that the system picks

# --- pages rendered by JavaScript (extra: requirements-rendering.txt) --------------------------------------------------------
TOPIC_RENDERED_HOSTS: list[str] = []  # hosts or registered domains whose pages a browser fetches
TOPIC_RENDER_EMPTY_PAGES = False  # True: also pages that have scripts and no text
TOPIC_BROWSER = None  # path of Chromium; None = the one found in PATH, else Playwright's own

# --- speed and safety --------------------------------------------------------------------------------------------
# processes that read pages, beside the crawl's own: 0 = it reads them itself; auto = begun when it is busy and cores are idle
TOPIC_READERS = 0
TOPIC_READER_SECONDS = 10.0  # for one page, by such a process; then it counts as unreadable
CONCURRENT_ITEMS = 8  # Scrapy 2.19 makes this many tasks for every response
DOWNLOAD_TIMEOUT = 30
DOWNLOAD_MAXSIZE = 8 * 1024 * 1024  # bytes; a larger page is no page to read
DOWNLOAD_WARNSIZE = 0
RETRY_TIMES = 1
REDIRECT_MAX_TIMES = 5
# fetch links to loopback, private and link-local addresses too (an intranet); seeds on such a host always may
TOPIC_PRIVATE_NETWORK = False
TWISTED_DNS_RESOLVER = "topiccrawler.engine.private_network.PrivateNetworkResolver"
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False  # on by default in 2.19, and it executes Python
DEFAULT_DROPITEM_LOG_LEVEL = "DEBUG"
COOKIES_ENABLED = False  # a crawler of many hosts has no session to keep
FEED_EXPORT_ENCODING = "utf-8"
