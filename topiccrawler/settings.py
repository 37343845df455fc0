"""Settings of the project, grouped. A name that begins with TOPIC_ or FRONTIER_ is ours; the rest is Scrapy's.

To add one: upper case, unit in the name, a line that says why, and a row in docs/settings.md.
"""

# --- the project -------------------------------------------------------------------------------------------------
BOT_NAME = "topiccrawler"
SPIDER_MODULES = ["topiccrawler.spiders"]
NEWSPIDER_MODULE = "topiccrawler.spiders"
COMMANDS_MODULE = "topiccrawler.commands"
ADDONS = {"topiccrawler.addon.Addon": 500}  # turns REPLAY_WARC into download handlers
LOG_LEVEL = "INFO"

# --- what to crawl -----------------------------------------------------------------------------------------------
TOPIC = None  # the topic when no `-a topic=` is given
TOPIC_STRATEGY = "naive_bayes"  # the ordering when no `-a strategy=` is given
TOPIC_LINK_MODELS = None  # folder of link models; None = those shipped in models/
TOPIC_LINK_THRESHOLD = None  # 0..1; None = the topic's own; 0 = the gate stands open
TOPIC_CONTEXT_CHARACTERS = 60  # characters of context on each side of a link (papers: NB 2010 §3.3)
TOPIC_URL_PARAMETERS_DROPPED: list[
    str
] = []  # query parameters to drop besides the known tracking ones (links.urls)

# --- where it is written -----------------------------------------------------------------------------------------
# writable state; each job has a folder of its own in it (or in JOBDIR when that is set)
TOPIC_DATA_DIR = "data"
TOPIC_JOB = None  # name of the job's folder; None = scrapyd's job id, else topic and time

# --- politeness --------------------------------------------------------------------------------------------------
USER_AGENT = "topiccrawler/0.1 (focused web crawler; +{contact})"  # {contact} = TOPIC_CONTACT
TOPIC_CONTACT = None  # where to complain: mailto:… or a page; None = mailto:abuse@ this machine
ROBOTSTXT_OBEY = True
DOWNLOAD_DELAY = 1.0  # seconds between two requests to one host; robots.txt and AutoThrottle only lengthen it
# the frontier's clock and the downloader's must agree; jitter would hold leased pages back
DOWNLOAD_DELAY_JITTER = 0
CONCURRENT_REQUESTS_PER_DOMAIN = 1
CONCURRENT_REQUESTS = 32
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 1.0
AUTOTHROTTLE_MAX_DELAY = 30.0
FRONTIER_CRAWL_DELAY_MAX_SECONDS = 60.0  # a longer Crawl-delay in robots.txt is cut to this
# first rest of a host after 429 or 503 without Retry-After; doubles each time
FRONTIER_BACKOFF_SECONDS = 10.0
FRONTIER_BACKOFF_MAX_SECONDS = 3600.0  # no host rests longer, whatever Retry-After says
# wait so long for a host with a much better URL; 0 = fetch what is ready, be it poor
FRONTIER_PATIENCE_SECONDS = 2.0

# --- the queue ---------------------------------------------------------------------------------------------------
SCHEDULER = "topiccrawler.scheduler.FocusedScheduler"
FRONTIER_LEASE_SECONDS = 600.0  # a lease older than this is put back to waiting
FRONTIER_MEMORY_URLS = 0  # how many queued URLs are held in memory with JOBDIR (the rest on disk); 0 = all
FRONTIER_CHECKPOINT_PAGES = 100  # the strategy's state is kept every so many pages, and at the end

# --- the way of the data -----------------------------------------------------------------------------------------
DOWNLOADER_MIDDLEWARES = {"topiccrawler.middlewares.LinkGateMiddleware": 50}
SPIDER_MIDDLEWARES = {
    "topiccrawler.middlewares.LeaseEndMiddleware": 10,
    "topiccrawler.middlewares.OutlinksMiddleware": 1100,
}
ITEM_PIPELINES = {
    "topiccrawler.pipelines.RelevancePipeline": 300,
    "topiccrawler.pipelines.StoragePipeline": 800,
}
EXTENSIONS = {
    "topiccrawler.extensions.Progress": 100,
    "scrapy.extensions.logstats.LogStats": None,  # Progress says more
    "scrapy.extensions.spiderstate.SpiderState": None,  # a pickle; our state lies in the frontier
}
TOPIC_PROGRESS_SECONDS = 30.0  # seconds between progress lines in a log; on a terminal the line is live

# --- speed and safety --------------------------------------------------------------------------------------------
CONCURRENT_ITEMS = 8  # Scrapy 2.19 makes this many tasks for every response
DOWNLOAD_TIMEOUT = 30
DOWNLOAD_MAXSIZE = 8 * 1024 * 1024  # bytes; a larger page is no page to read
DOWNLOAD_WARNSIZE = 0
RETRY_TIMES = 1
REDIRECT_MAX_TIMES = 5
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False  # on by default in 2.19, and it executes Python
DEFAULT_DROPITEM_LOG_LEVEL = "DEBUG"
COOKIES_ENABLED = False  # a crawler of many hosts has no session to keep
FEED_EXPORT_ENCODING = "utf-8"
