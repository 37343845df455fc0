"""Settings of the project, grouped. A name that begins with TOPIC_ or FRONTIER_ is ours; the rest is Scrapy's.

All but the first four are the defaults of a spider with a topic in a project of another name too (engine.defaults).

To add one: upper case, unit in the name, and a comment, which `make reference` copies to docs/settings.md.
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
TOPIC_STRATEGY = "adaptive"  # the strategy when no `-a strategy=` is given (docs/strategies.md)
# a SearXNG instance that `scrapy seeds` asks (docs/seeds.md)
TOPIC_SEARCH_URL = None
# folder of link models; None = those shipped; `none` = keywords alone; `paper` = that of docs/papers.md
TOPIC_LINK_MODELS = None
# 0..1: less probable links are not queued; None = that of the topic or the link model
TOPIC_LINK_THRESHOLD = None
TOPIC_PROPOSED_WORDS = 600  # most words added to a topic of `-a keywords=` alone; 0 = none (docs/topics.md)
# the page classifier (docs/how-pages-are-judged.md)
TOPIC_PAGE_CLASSIFIER = "evidence"
# folder with page_classifiers/TOPIC.CLASSIFIER.json; None = those shipped
TOPIC_PAGE_CLASSIFIER_MODELS = None
# `title_tag`: titles are read from title element and headings; `skyreach`: from the look of the first lines
TOPIC_TITLE_READER = "title_tag"
# TOML file of rules by site (docs/site-rules.md)
TOPIC_SITES_FILE = None
# `all` or `relevant`: whose links are followed; None = as the strategy's paper says (docs/strategies.md)
TOPIC_EXPAND = None
# True: feeds and sitemaps of sites with relevant pages are fetched (docs/formats.md)
TOPIC_LISTINGS = False
# what cuts Chinese texts into words: `rjieba`, or the slower `jieba`; `auto` = the first that is installed
TOPIC_SEGMENTER = "auto"
# file of similar words in Cilin format; None = our list and the word vectors; `none` = equal words only
TOPIC_THESAURUS = None
TOPIC_SEED = 0  # random seed of the strategy `random_order`
# query parameters dropped from URLs, besides known tracking parameters and session ids
TOPIC_URL_PARAMETERS_DROPPED: list[str] = []

# server of a language model that gives second opinions, as http://127.0.0.1:8080/v1 (docs/second-opinion.md)
TOPIC_JUDGE_URL = None
TOPIC_JUDGE_MODEL = None  # the name of the model there

# --- where it is written -----------------------------------------------------------------------------------------
# folder of the jobs that have no JOBDIR
TOPIC_DATA_DIR = "data"
TOPIC_JOB = None  # name of the job's folder; None = scrapyd's job id, else topic, time and process
# a page whose text is stored already: `alias` = it is stored without text, `drop` = not stored, `keep` = stored whole
TOPIC_DUPLICATES = "alias"
# PostgreSQL database of the pages of all jobs, postgresql://USER@HOST/DATABASE; None = `job.sqlite` of each job
# (docs/scaling.md)
STORE_URL = None
# True: `pages.warc.gz` of the job has the HTML of the pages kept, about 19 kB a page (docs/results.md)
TOPIC_KEEP_HTML = True
TOPIC_DUPLICATES_ACROSS_SITES = True  # False: only pages of one registered domain are compared

# True: all links among fetched pages are stored, for GraphML and the communities of a report
TOPIC_LINK_GRAPH = False
# FILE.warc.gz: everything fetched is written to it, in any command and spider (docs/results.md)
WARC_OUT = None

# --- politeness --------------------------------------------------------------------------------------------------
USER_AGENT = "topiccrawler/0.1 (focused web crawler; +{contact})"  # {contact} = TOPIC_CONTACT
TOPIC_CONTACT = None  # contact in the User-Agent: a `mailto:` address or a page; None = abuse@ this machine
ROBOTSTXT_OBEY = True
# True: the robots tags noindex and nofollow of pages are obeyed (docs/wishes.md)
TOPIC_ROBOTS_TAGS_OBEY = True
# Scrapy's, in a fortieth of the memory
ROBOTSTXT_PARSER = "topiccrawler.engine.robots.CompactRobotParser"
DOWNLOAD_DELAY = 1.0  # seconds between two requests to one host; robots.txt and AutoThrottle only lengthen it
# jitter would delay pages that have been leased
DOWNLOAD_DELAY_JITTER = 0
CONCURRENT_REQUESTS_PER_DOMAIN = 1
CONCURRENT_REQUESTS = 32
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 1.0
AUTOTHROTTLE_MAX_DELAY = 30.0
# first wait of a host or a URL that fails; a host's doubles each time, a URL's grows eightfold
FRONTIER_BACKOFF_SECONDS = 10.0
FRONTIER_BACKOFF_MAX_SECONDS = 3600.0  # longest such wait, Retry-After included
# failed tries of a URL until it is given up
FRONTIER_URL_TRIES = 5

# --- the queue ---------------------------------------------------------------------------------------------------
SCHEDULER = "topiccrawler.engine.scheduler.FocusedScheduler"
# redis://USER:PASSWORD@HOST:6379/0: processes with the same `-a job=` share one crawl (docs/scaling.md)
REDIS_URL = None

# --- budgets and traps: 0 = no bound -----------------------------------------------------------------------------
FRONTIER_HOST_PAGES = 0  # most pages fetched from one host
FRONTIER_DOMAIN_PAGES = 0  # most pages fetched from one registered domain
# most pages of a host in a row that are neither on topic and new, nor link such a page
FRONTIER_HOST_UNPRODUCTIVE_PAGES = 200
# the same for URLs of a host that differ in numbers and query only
FRONTIER_SHAPE_UNPRODUCTIVE_PAGES = 100
# most pages of a site that links only itself and that only one other site links
FRONTIER_UNPROVEN_PAGES = 500
# a site above its share is passed over while others have promising URLs (docs/politeness-and-fairness.md)
FRONTIER_FAIR_SHARES = True

# --- how data flows ----------------------------------------------------------------------------------------------
DOWNLOADER_MIDDLEWARES = {
    "topiccrawler.engine.middlewares.LinkGateMiddleware": 50,
    "topiccrawler.engine.rendering.RenderingMiddleware": 55,
    "topiccrawler.engine.redirects.RefreshMiddleware": 57,  # behind the reading of the page on the way back
    "topiccrawler.engine.site_access.SiteAccessMiddleware": 90,
    "topiccrawler.engine.reading.DocumentMiddleware": 60,  # behind decompression on the way back
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "topiccrawler.engine.robots_middleware.HostRobotsMiddleware": 100,
    "topiccrawler.engine.middlewares.BackOffMiddleware": 110,  # behind robots.txt
    "topiccrawler.engine.incomplete_answers.IncompleteAnswerMiddleware": 560,
    "topiccrawler.engine.decompression.DecompressionMiddleware": 590,
    "topiccrawler.engine.redirects.LocationMiddleware": 600,
    "topiccrawler.engine.private_network.PrivateNetworkMiddleware": 760,
    "topiccrawler.engine.network_watch.OutageMiddleware": 950,  # next to the downloader
    # those above take their places
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
}
DOWNLOAD_HANDLERS = dict.fromkeys(
    ("http", "https"), "topiccrawler.engine.lenient_http.LenientDownloadHandler"
)
FEED_EXPORTERS = {"xml": "topiccrawler.engine.feeds.XmlFeed"}
SPIDER_MIDDLEWARES = {
    "topiccrawler.engine.middlewares.LeaseEndMiddleware": 10,
    "topiccrawler.engine.middlewares.OutlinksMiddleware": 1100,
}
ITEM_PIPELINES = {
    "topiccrawler.engine.pipelines.RelevancePipeline": 300,
    "topiccrawler.engine.pipelines.KnownTextPipeline": 400,
    "topiccrawler.engine.tdm_files.TdmFilePipeline": 450,
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

# --- progress and control ----------------------------------------------------------------------------------------
LOGSTATS_INTERVAL = 30.0  # seconds between progress lines in a log; 0 = none. On a terminal the line is live
# the running crawl answers `scrapy control` (docs/control.md)
TOPIC_CONTROL = True

# --- pages rendered by JavaScript --------------------------------------------------------------------------------
TOPIC_RENDERED_HOSTS: list[str] = []  # hosts or registered domains whose pages a browser fetches
TOPIC_RENDER_EMPTY_PAGES = False  # True: a browser also fetches pages that have scripts and no text
TOPIC_BROWSER = None  # path of Chromium; None = the one in PATH, else Playwright's own

# --- speed and safety --------------------------------------------------------------------------------------------
CONCURRENT_ITEMS = 8  # Scrapy 2.19 makes this many tasks for every response
DOWNLOAD_TIMEOUT = 30
DOWNLOAD_MAXSIZE = 8 * 1024 * 1024  # bytes; a larger page is no page to read
DOWNLOAD_WARNSIZE = 0
# False: a page whose body ends too early is requested again, then read as it is
DOWNLOAD_FAIL_ON_DATALOSS = False
# as in browsers: no weak Diffie-Hellman keys
DOWNLOADER_CLIENT_TLS_CIPHERS = "DEFAULT:!DHE"
RETRY_TIMES = 1  # for requests that are no links; a link goes back to the queue (FRONTIER_URL_TRIES)
REDIRECT_MAX_TIMES = 5
METAREFRESH_MAXDELAY = 5  # seconds; a later refresh is a link
# True: links to private addresses are fetched, too; seeds always are
TOPIC_PRIVATE_NETWORK = False
TWISTED_DNS_RESOLVER = "topiccrawler.engine.private_network.PrivateNetworkResolver"
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False  # on by default in 2.19, and it executes Python
DEFAULT_DROPITEM_LOG_LEVEL = "DEBUG"
COOKIES_ENABLED = False  # a crawler of many hosts has no session to keep
FEED_EXPORT_ENCODING = "utf-8"
