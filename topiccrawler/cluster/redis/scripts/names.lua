-- Names and functions that all scripts share. KEYS[1] is the prefix of the crawl's keys (records.py), put before every name.
--
-- index   i:D       hash    last 8 bytes of a URL's digest -> state (1 byte), number (5), seen-anchor mask (4), score (8); D: the first 2
-- rows    r:N       hash    last byte of a number -> the record of the URL (records.py); N: the 4 bytes before
-- queue   q:HOST    zset    number -> -score, for the first waiting URLs; the others are in t:HOST and c:HOST:NAME (queue.lua)
-- leased  l:HOST    hash    number -> digest, for the leased URLs
-- owners  hash HOST -> session     owned:S  set of hosts     changed:S  hosts whose queue others changed     dry  set of idle sessions
-- clocks  hash HOST -> time of the server from which the host may be fetched from (8 bytes), then JSON
-- free    zset HOST -> -best score, for the ready hosts that nobody owns        cooling  zset HOST -> due time, for those not ready
-- workers zset SESSION -> deadline     slots  hash SLOT -> SESSION     active  hash SESSION -> number of owned hosts with waiting URLs
-- processes  hash SESSION -> identifier of the process (joining.py)
-- seen    stream of entries, one a page: s SESSION, n number of the entry in the session, e the entry     told  number of entries sent
-- seeded  set once the entry of the seeds was sent     learner  hash: session, until (time), place (of the last entry it consumed)
-- announced  list of the announcements to all processes
-- harvest hash: pages, kept, articles     calm  time until which nobody acquires hosts
-- learned hash: number, by SESSION, place, taken (last entry of each session, JSON), entries (how many), at (time), state

local ns = KEYS[1]
local call = redis.call
local WAITING, PROCESSING = 0, 1
local CALM_SECONDS = 2
local at = call('TIME')
local now = tonumber(at[1]) + tonumber(at[2]) / 1000000

local function number_of(packed) return struct.unpack('>d', packed) end

-- A packed number as a Lua number, for comparisons: Lua compares strings by the locale of the server.
local function place_of(number)
  local high, low = struct.unpack('>BI4', number)
  return high * 4294967296 + low
end

local function index_of(digest) return ns .. 'i:' .. string.sub(digest, 1, 2), string.sub(digest, 3) end

local function row_of(number) return ns .. 'r:' .. string.sub(number, 1, 4), string.sub(number, 5) end
