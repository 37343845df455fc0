-- The queue of a host: its waiting URLs in the order of -score, then number. The first of them are in q:HOST, which costs some 100 bytes a
-- URL. When a host has more than HEAD, the others are in chunks of at most CHUNK, which the server packs into a list of some 28 bytes a URL
-- (zset-max-listpack-entries). t:HOST has the names of the chunks in order, c:HOST:NAME is a chunk. The name of a chunk is a lower bound of
-- its places: number (5 bytes), -score (8). As long as there are chunks, q:HOST has LEAST or more.

local LEAST = HEAD / 4

local function queue_of(host) return ns .. 'q:' .. host end

local function names_of(host) return ns .. 't:' .. host end

local function chunk_of(host, name) return ns .. 'c:' .. host .. ':' .. name end

-- Converts a part of a reply of the server (numbers and -scores, alternating) into arguments of ZADD (-scores and numbers).
local function turned(found, from, to)
  local places = {}
  for at = from, to, 2 do
    places[#places + 1] = found[at + 1]
    places[#places + 1] = found[at]
  end
  return places
end

local function add_chunk(host, found, from, to)
  local name = found[from] .. struct.pack('>d', tonumber(found[from + 1]))
  call('ZADD', names_of(host), found[from + 1], name)
  call('ZADD', chunk_of(host, name), unpack(turned(found, from, to)))
end

-- Moves the members of a sorted set after the first `keep` into chunks of at most `most`.
local function cut(host, key, keep, most)
  local found = call('ZRANGE', key, keep, -1, 'WITHSCORES')
  call('ZREMRANGEBYRANK', key, keep, -1)
  for from = 1, #found, 2 * most do add_chunk(host, found, from, math.min(#found, from + 2 * most - 1)) end
end

-- The name of the chunk that a place is in; false when it is before all chunks. By binary search, since many URLs may have one score.
local function find_chunk(host, score, number)
  local names, text, place = names_of(host), string.format('%.17g', score), place_of(number)
  local low, high = call('ZCOUNT', names, '-inf', '(' .. text), call('ZCOUNT', names, '-inf', text)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if place_of(call('ZRANGE', names, middle, middle)[1]) <= place then low = middle + 1 else high = middle end
  end
  return low > 0 and call('ZRANGE', names, low - 1, low - 1)[1]
end

-- Moves the first chunk into q:HOST.
local function refill(host)
  local name = call('ZRANGE', names_of(host), 0, 0)[1]
  if not name then return end
  local key = chunk_of(host, name)
  local found = call('ZRANGE', key, 0, -1, 'WITHSCORES')
  call('ZADD', queue_of(host), unpack(turned(found, 1, #found)))
  call('DEL', key)
  call('ZREM', names_of(host), name)
end

-- Removes a URL that no longer waits. score: minus its score in the queue.
local function dequeue(host, score, number)
  local queue = queue_of(host)
  if call('ZREM', queue, number) == 1 then
    if call('ZCARD', queue) == LEAST - 1 then refill(host) end
    return
  end
  local name = find_chunk(host, score, number)
  if name and call('ZREM', chunk_of(host, name), number) == 1 and call('EXISTS', chunk_of(host, name)) == 0 then
    call('ZREM', names_of(host), name)
  end
end

local function put(host, score, number)
  local name = find_chunk(host, score, number)
  if name and call('ZCARD', chunk_of(host, name)) >= CHUNK then -- with one more the server would unpack it for good
    cut(host, chunk_of(host, name), CHUNK / 2, CHUNK)
    name = find_chunk(host, score, number)
  end
  call('ZADD', name and chunk_of(host, name) or queue_of(host), score, number)
end

-- Adds waiting URLs. places: -scores and numbers, alternating; before: number -> -score of those that are in the queue already.
local function enqueue(host, places, before)
  local queue = queue_of(host)
  local size = call('ZCARD', queue)
  if size < LEAST or call('EXISTS', names_of(host)) == 0 then
    call('ZADD', queue, unpack(places))
  else
    for at = 1, #places, 2 do
      local old = before and before[places[at + 1]]
      if old then
        dequeue(host, old, places[at + 1])
        before[places[at + 1]] = places[at]
      end
      put(host, places[at], places[at + 1])
    end
  end
  if size + #places / 2 > HEAD and call('ZCARD', queue) > HEAD then -- chunks are not filled, so that later URLs fit between
    cut(host, queue, HEAD / 2, math.floor(CHUNK * 3 / 4))
  end
end

-- The first `count` URLs of a host: numbers and -scores, alternating.
local function first(host, count)
  local found, chunk = call('ZRANGE', queue_of(host), 0, count - 1, 'WITHSCORES'), 0
  while #found < 2 * count and #found >= 2 * LEAST do
    local name = call('ZRANGE', names_of(host), chunk, chunk)[1]
    if not name then break end
    local more = call('ZRANGE', chunk_of(host, name), 0, count - #found / 2 - 1, 'WITHSCORES')
    for _, one in ipairs(more) do found[#found + 1] = one end
    chunk = chunk + 1
  end
  return found
end

-- The number of waiting URLs of a host.
local function waiting_of(host)
  local waiting = call('ZCARD', queue_of(host))
  for _, name in ipairs(call('ZRANGE', names_of(host), 0, -1)) do waiting = waiting + call('ZCARD', chunk_of(host, name)) end
  return waiting
end
