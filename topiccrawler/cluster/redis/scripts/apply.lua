-- Applies a batch of a worker's changes, in order and only once. ARGV: session, number of the batch, slot, then operations of several
-- arguments each. Returns how many were refused because their host has another owner; -1 = nothing was done, since the server has
-- lost earlier batches.

local session, batch, slot = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local last = tonumber(call('HGET', ns .. 'seqs', session) or 0)
if batch <= last then return 0 end
if batch > last + 1 and call('SISMEMBER', ns .. 'reaped', session) == 0 then return -1 end
call('HSET', ns .. 'seqs', session, batch)

local MET, NO_NUMBER = 1, '\0\0\0\0\0'
local owners, touched, elsewhere, counts, refused = {}, {}, {}, {}, 0
local is_learner = call('HGET', ns .. 'learner', 'session') == session
local i = 4

local function owner_of(host)
  if owners[host] == nil then owners[host] = call('HGET', ns .. 'owners', host) end
  return owners[host]
end

local function count(from, to)
  if from then counts[from] = (counts[from] or 0) - 1 end
  counts[to] = (counts[to] or 0) + 1
end

local function reason_counts(state, reason, by)
  if state > PROCESSING then call('HINCRBY', ns .. 'reasons', state .. reason, by) end
end

-- Notes that the owner of a host must read its queue again, or that a host without an owner must be ranked again.
local function tell(host, mine_too)
  local owner = owner_of(host)
  if not owner then
    touched[host] = true
  elseif owner ~= session or mine_too then
    elsewhere[owner] = elsewhere[owner] or {}
    elsewhere[owner][host] = true
  end
end

local function tell_owners()
  for owner, hosts in pairs(elsewhere) do
    for host in pairs(hosts) do call('SADD', ns .. 'changed:' .. owner, host) end
    call('SREM', ns .. 'dry', owner)
  end
end

-- Reads the owners of all these hosts with one command: most pushes go to many hosts.
local function learn_owners(queues)
  local unknown = {}
  for host in pairs(queues) do
    if owners[host] == nil then unknown[#unknown + 1] = host end
  end
  if #unknown == 0 then return end
  for at, owner in ipairs(call('HMGET', ns .. 'owners', unpack(unknown))) do owners[unknown[at]] = owner end
end

-- The new records, which mostly have consecutive numbers. They are written a bucket at a time, before any record is read.
local records = {}

local function add_record(number, row)
  local bucket, place = row_of(number)
  local found = records[bucket]
  if not found then
    found = {}
    records[bucket] = found
  end
  found[#found + 1] = place
  found[#found + 1] = row
end

local function write_records()
  for bucket, found in pairs(records) do call('HSET', bucket, unpack(found)) end
  records = {}
end

-- Replaces the records of waiting URLs that get a better score; their times and failed tries stay. rows: numbers and records, alternating.
local function write_raised(rows)
  if #rows == 0 then return end
  write_records()
  local places = {}
  for at = 1, #rows, 2 do
    local bucket, place = row_of(rows[at])
    places[bucket] = places[bucket] or { {}, {} }
    table.insert(places[bucket][1], place)
    table.insert(places[bucket][2], rows[at + 1])
  end
  for bucket, found in pairs(places) do
    local written = {}
    for at, old in ipairs(call('HMGET', bucket, unpack(found[1]))) do
      local row = found[2][at]
      written[2 * at - 1] = found[1][at]
      written[2 * at] = string.sub(row, 1, 9) .. string.sub(old, 10, 25) .. string.sub(row, 26, 33) .. string.sub(old, 34, 34)
        .. string.sub(row, 35)
    end
    call('HSET', bucket, unpack(written))
  end
end

-- Puts a URL that has ended back to waiting.
local function write_again(state, number, row)
  write_records()
  local bucket, place = row_of(number)
  local old = call('HGET', bucket, place)
  local shares = struct.unpack('>I2', string.sub(old, 48, 49))
  local reason = string.sub(old, 52 + shares, 51 + shares + struct.unpack('>I2', string.sub(old, 50, 51)))
  reason_counts(state, reason, -1)
  count(state, WAITING)
  call('HSET', bucket, place, string.sub(row, 1, 9) .. string.sub(old, 10, 17) .. string.sub(row, 18))
end

-- push: again ('' or 1), number of links, then for each: host; whether the URL may be known (1 byte), number (5), anchor bit (4); record
local function push()
  local again, final = ARGV[i + 1] ~= '', i + 2 + 3 * tonumber(ARGV[i + 2])
  local queues, strange, raised, before = {}, {}, {}, {}
  for place = i + 3, final, 3 do
    local host, head, row = ARGV[place], ARGV[place + 1], ARGV[place + 2]
    local number = string.sub(head, 2, 6)
    local score = string.sub(row, 2, 9)
    local key, field = index_of(string.sub(row, 38, 47))
    local entry, waits = string.byte(head) == MET and call('HGET', key, field), true
    if not entry then
      if number == NO_NUMBER then
        number = struct.pack('>I5', call('INCR', ns .. 'numbers'))
        strange[host] = true
      end
      if call('HSETNX', key, field, string.char(WAITING) .. number .. string.sub(head, 7, 10) .. score) == 1 then
        count(nil, WAITING)
        add_record(number, row)
      else
        entry = call('HGET', key, field)
      end
    end
    if entry then
      local state, known = string.byte(entry), string.sub(entry, 2, 6)
      if state == WAITING then
        waits = number_of(score) > number_of(string.sub(entry, 11, 18))
      else
        waits = again and state ~= PROCESSING
      end
      strange[host] = strange[host] or number ~= known
      number = known
      if waits then
        if state == WAITING then
          raised[#raised + 1] = number
          raised[#raised + 1] = row
          before[number] = before[number] or -number_of(string.sub(entry, 11, 18))
        else
          write_again(state, number, row)
        end
        call('HSET', key, field, string.char(WAITING) .. string.sub(entry, 2, 10) .. score)
      end
    end
    local queue = queues[host] or {}
    queues[host] = queue
    if waits then
      queue[#queue + 1] = -number_of(score)
      queue[#queue + 1] = number
    end
  end
  write_raised(raised)
  learn_owners(queues)
  for host, queue in pairs(queues) do
    if #queue > 0 then enqueue(host, queue, before) end
    if #queue > 0 or strange[host] then tell(host, strange[host]) end
  end
  i = final + 1
end

-- move: host, digest, state, reason, time (8 bytes)
local function move()
  local host, digest, state, reason = ARGV[i + 1], ARGV[i + 2], tonumber(ARGV[i + 3]), ARGV[i + 4]
  local changed = ARGV[i + 5]
  i = i + 6
  write_records()
  if owner_of(host) ~= session then
    refused = refused + 1
    return
  end
  local key, field = index_of(digest)
  local entry = call('HGET', key, field)
  local from = entry and string.byte(entry)
  if not entry or from > PROCESSING or from == state then return end
  local number = string.sub(entry, 2, 6)
  local score = -number_of(string.sub(entry, 11, 18))
  if from == WAITING then dequeue(host, score, number) end
  if from == PROCESSING then call('HDEL', ns .. 'l:' .. host, number) end
  if state == WAITING then
    enqueue(host, { score, number })
  elseif state == PROCESSING then
    call('HSET', ns .. 'l:' .. host, number, digest)
  end
  call('HSET', key, field, string.char(state) .. string.sub(entry, 2))
  local bucket, place = row_of(number)
  call('HSET', bucket, place, moved(call('HGET', bucket, place), state, changed, reason))
  reason_counts(state, reason, 1)
  count(from, state)
end

-- rescore: host, digest, score (8 bytes), carry (8), shares. The learner may rescore URLs of all hosts
local function rescore()
  local host, score, shares = ARGV[i + 1], ARGV[i + 3], ARGV[i + 5]
  write_records()
  local owner = owner_of(host)
  local key, field = index_of(ARGV[i + 2])
  local entry = (not owner or owner == session or is_learner) and call('HGET', key, field)
  if entry and string.byte(entry) == WAITING then
    local number = string.sub(entry, 2, 6)
    local bucket, place = row_of(number)
    local row = call('HGET', bucket, place)
    local old = struct.unpack('>I2', string.sub(row, 48, 49))
    call('HSET', bucket, place, string.sub(row, 1, 1) .. score .. string.sub(row, 10, 25) .. ARGV[i + 4] .. string.sub(row, 34, 47)
      .. struct.pack('>I2', #shares) .. string.sub(row, 50, 51) .. shares .. string.sub(row, 52 + old))
    if score ~= string.sub(entry, 11, 18) then
      call('HSET', key, field, string.sub(entry, 1, 10) .. score)
      enqueue(host, { -number_of(score), number }, { [number] = -number_of(string.sub(entry, 11, 18)) })
      if owner ~= session then tell(host) end
    end
  end
  i = i + 6
end

-- count a failed try: host, digest
local function tried()
  write_records()
  local key, field = index_of(ARGV[i + 2])
  local entry = owner_of(ARGV[i + 1]) == session and call('HGET', key, field)
  if entry and string.byte(entry) <= PROCESSING then
    local bucket, place = row_of(string.sub(entry, 2, 6))
    local row = call('HGET', bucket, place)
    local tries = math.min(255, string.byte(row, 34) + 1)
    call('HSET', bucket, place, string.sub(row, 1, 33) .. string.char(tries) .. string.sub(row, 35))
  end
  i = i + 3
end

-- anchor: digest, bit (4 bytes)
local function anchor()
  local key, field = index_of(ARGV[i + 1])
  local entry = call('HGET', key, field)
  if entry then
    local seen = bit.bor(struct.unpack('>I4', string.sub(entry, 7, 10)), struct.unpack('>I4', ARGV[i + 2]))
    if seen < 0 then seen = seen + 4294967296 end
    call('HSET', key, field, string.sub(entry, 1, 6) .. struct.pack('>I4', seen) .. string.sub(entry, 11))
  end
  i = i + 3
end

-- clock: host, its clock for the next owner
local function clock()
  if owner_of(ARGV[i + 1]) == session then call('HSET', ns .. 'clocks', ARGV[i + 1], ARGV[i + 2]) end
  i = i + 3
end

-- note: name, text
local function note()
  call('HSET', ns .. 'notes:' .. slot, ARGV[i + 1], ARGV[i + 2])
  i = i + 3
end

-- entry: its number, once ('' or 1), text
local function entry()
  if ARGV[i + 2] == '' or call('SETNX', ns .. 'seeded', 1) == 1 then
    call('XADD', ns .. 'seen', '*', 's', session, 'n', ARGV[i + 1], 'e', ARGV[i + 3])
    call('INCR', ns .. 'told')
  end
  i = i + 4
end

-- learned: place, last entry consumed of each session (JSON), number of entries consumed, state
local function learned()
  if is_learner then
    call('HINCRBY', ns .. 'learned', 'number', 1)
    call('HSET', ns .. 'learned', 'by', session, 'place', ARGV[i + 1], 'taken', ARGV[i + 2], 'entries', ARGV[i + 3],
      'at', string.format('%.6f', now), 'state', ARGV[i + 4])
    if ARGV[i + 1] ~= '-' then call('XTRIM', ns .. 'seen', 'MINID', ARGV[i + 1]) end
  end
  i = i + 5
end

-- announce: a text for all processes
local function announce()
  call('RPUSH', ns .. 'announced', ARGV[i + 1])
  i = i + 2
end

-- harvest, a page was fetched: '', kept or article (which is kept too)
local function harvest()
  call('HINCRBY', ns .. 'harvest', 'pages', 1)
  if ARGV[i + 1] ~= '' then call('HINCRBY', ns .. 'harvest', 'kept', 1) end
  if ARGV[i + 1] == 'article' then call('HINCRBY', ns .. 'harvest', 'articles', 1) end
  i = i + 2
end

local operations = { P = push, M = move, T = tried, S = rescore, K = anchor, C = clock, N = note, E = entry, L = learned,
  A = announce, H = harvest }
while i <= #ARGV do operations[ARGV[i]]() end
write_records()
tell_owners()
for state, by in pairs(counts) do call('HINCRBY', ns .. 'counts', state, by) end
for host in pairs(touched) do rank(host) end
return refused
