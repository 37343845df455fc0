-- Functions for workers and the hosts they own.

local function is_live(session) return call('ZSCORE', ns .. 'workers', session) end

-- False for CALM_SECONDS after a worker has resumed: nobody acquires hosts then, because other workers may still report hosts that they own
-- and that a killed server has lost.
local function is_calm() return now >= tonumber(call('GET', ns .. 'calm') or 0) end

-- Ranks a host that nobody owns: into `free` when it is ready, into `cooling` when it is not.
local function rank(host)
  local best = first(host, 1)
  call('ZREM', ns .. 'free', host)
  call('ZREM', ns .. 'cooling', host)
  if #best == 0 then return end
  local clock = call('HGET', ns .. 'clocks', host)
  local due = clock and number_of(string.sub(clock, 1, 8)) or 0
  if due > now then
    call('ZADD', ns .. 'cooling', due == math.huge and '+inf' or due, host)
  else
    call('ZADD', ns .. 'free', best[2], host)
  end
end

-- The record of a URL with another state, time of change and reason.
local function moved(row, state, changed, reason)
  local shares = struct.unpack('>I2', string.sub(row, 48, 49))
  local old = struct.unpack('>I2', string.sub(row, 50, 51))
  return string.char(state) .. string.sub(row, 2, 17) .. changed .. string.sub(row, 26, 49) .. struct.pack('>I2', #reason)
    .. string.sub(row, 52, 51 + shares) .. reason .. string.sub(row, 52 + shares + old)
end

-- Puts the leased URLs of a host that has lost its owner back to waiting.
local function end_leases(host)
  local leased = call('HGETALL', ns .. 'l:' .. host)
  for i = 1, #leased, 2 do
    local number, key, field = leased[i], index_of(leased[i + 1])
    local entry = call('HGET', key, field)
    if entry and string.byte(entry) == PROCESSING then
      call('HSET', key, field, string.char(WAITING) .. string.sub(entry, 2))
      local bucket, place = row_of(number)
      local row = call('HGET', bucket, place)
      call('HSET', bucket, place, moved(row, WAITING, string.sub(row, 18, 25), ''))
      enqueue(host, { -number_of(string.sub(entry, 11, 18)), number })
      call('HINCRBY', ns .. 'counts', WAITING, 1)
      call('HINCRBY', ns .. 'counts', PROCESSING, -1)
    end
  end
  call('DEL', ns .. 'l:' .. host)
end

local function own(host, session)
  call('HSET', ns .. 'owners', host, session)
  call('SADD', ns .. 'owned:' .. session, host)
  call('ZREM', ns .. 'free', host)
  call('ZREM', ns .. 'cooling', host)
end

local function disown(host, session)
  call('HDEL', ns .. 'owners', host)
  call('SREM', ns .. 'owned:' .. session, host)
  end_leases(host)
  rank(host)
end

local function forget(session)
  for _, host in ipairs(call('SMEMBERS', ns .. 'owned:' .. session)) do disown(host, session) end
  call('DEL', ns .. 'owned:' .. session, ns .. 'changed:' .. session)
  call('ZREM', ns .. 'workers', session)
  call('SREM', ns .. 'dry', session)
  call('HDEL', ns .. 'active', session)
  call('HDEL', ns .. 'seqs', session)
  call('HDEL', ns .. 'processes', session)
  if call('HGET', ns .. 'learner', 'session') == session then call('DEL', ns .. 'learner') end
  local slots = call('HGETALL', ns .. 'slots')
  for i = 1, #slots, 2 do
    if slots[i + 1] == session then call('HDEL', ns .. 'slots', slots[i]) end
  end
end

-- Declares workers dead that are past their deadline, and frees their hosts. When the server was away for all of them, the deadlines of all
-- workers are extended instead.
local function reap(lease)
  local pulse = tonumber(call('GET', ns .. 'pulse') or now)
  call('SET', ns .. 'pulse', string.format('%.6f', now))
  if now - pulse > lease / 3 then
    for _, session in ipairs(call('ZRANGE', ns .. 'workers', 0, -1)) do call('ZADD', ns .. 'workers', now + lease, session) end
    if call('EXISTS', ns .. 'learner') == 1 then call('HSET', ns .. 'learner', 'until', now + lease) end
    return
  end
  for _, session in ipairs(call('ZRANGEBYSCORE', ns .. 'workers', '-inf', now)) do
    forget(session)
    call('SADD', ns .. 'reaped', session)
  end
end

-- The set of all hosts that have an owner or waiting URLs.
local function waiting_hosts()
  local hosts = {}
  for _, host in ipairs(call('HKEYS', ns .. 'owners')) do hosts[host] = true end
  for _, name in ipairs({ 'free', 'cooling' }) do
    for _, host in ipairs(call('ZRANGE', ns .. name, 0, -1)) do hosts[host] = true end
  end
  return hosts
end

-- What the new owner of a host needs: the host, its clock, the rank of the first URL behind the rows ('' = none), and `count` rows.
local function first_of(host, count)
  local found = first(host, count + 1)
  local rows, behind = {}, ''
  for i = 1, #found, 2 do
    if i > 2 * count then
      behind = struct.pack('>d', tonumber(found[i + 1])) .. found[i]
    else
      rows[#rows + 1] = found[i]
      rows[#rows + 1] = call('HGET', row_of(found[i]))
    end
  end
  return { host, call('HGET', ns .. 'clocks', host) or '', behind, rows }
end
