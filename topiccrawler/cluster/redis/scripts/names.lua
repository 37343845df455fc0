-- What all scripts share. KEYS[1] is the prefix of the crawl's keys (keys.py), put before every name.
--
-- index   i:D       hash    8 bytes of a URL's digest -> state (1 byte), number (5), anchors seen (4), score (8); D: its first two
-- rows    r:N       hash    last byte of a number -> the URL's record (records.py); N: the four before
-- queue   q:HOST    zset    number -> -score, of the waiting URLs; of many the first, the others t:HOST and c:HOST:NAME (queue.lua)
-- leased  l:HOST    hash    number -> digest, of the leased URLs
-- owners  hash HOST -> session     owned:S  set of hosts     changed:S  hosts whose queue others changed     dry  set of sessions
-- clocks  hash HOST -> time of the server at which it may be fetched from (8 bytes), then JSON
-- free    zset HOST -> -best score, of the hosts nobody owns that are ready        cooling  HOST -> when, of those that may not
-- workers zset SESSION -> deadline     slots  hash SLOT -> SESSION     active  hash SESSION -> owned hosts with waiting URLs
-- processes  hash SESSION -> which process it is (processes.py)
-- seen    stream of entries, one a page: s SESSION, n its number among those of the session, e the entry     told  how many were sent
-- seeded  set once the entry of the seeds was sent     learner  hash: session, until (time), place (of the last entry it consumed)
-- announced  list of what was said to all processes
-- harvest hash: pages, kept     calm  time until which nobody acquires hosts
-- learned hash: number, by SESSION, place, taken (JSON), entries, at (time), state

local ns = KEYS[1]
local call = redis.call
local WAITING, PROCESSING = 0, 1
local CALM_SECONDS = 2
local at = call('TIME')
local now = tonumber(at[1]) + tonumber(at[2]) / 1000000

local function number_of(packed) return struct.unpack('>d', packed) end

-- The other way round: numbers compare as they came, texts by the server's locale.
local function place_of(number)
  local high, low = struct.unpack('>BI4', number)
  return high * 4294967296 + low
end

local function index_of(digest) return ns .. 'i:' .. string.sub(digest, 1, 2), string.sub(digest, 3) end

local function row_of(number) return ns .. 'r:' .. string.sub(number, 1, 4), string.sub(number, 5) end
