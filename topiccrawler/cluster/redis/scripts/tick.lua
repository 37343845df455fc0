-- The poll of a worker: it releases hosts, acquires the best free ones, and returns the changes of others.
-- ARGV: session, lease seconds, idle ('' or 1), number of owned hosts with waiting URLs, rows a host, number of hosts wanted, place of the
-- last entry consumed ('-' = none; '' = the worker cannot learn), number of announcements received, number of hosts released, then each of
-- those with its clock, then hosts whose queue is to be read again.
-- Returns a list, empty when the worker was declared dead: time, counts by state, live workers, number of all hosts with waiting URLs,
-- -score of the best free host, whether no worker has anything to do, hosts acquired, hosts read again, last batch of the worker's changes,
-- whether it is the learner, number of the newest state, entries sent, pages fetched, pages kept, articles, number of announcements, new ones,
-- place of the worker among the live ones.

local session, lease, count = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[5])
reap(lease)
if not is_live(session) then return {} end
call('ZADD', ns .. 'workers', now + lease, session)
call('HSET', ns .. 'active', session, ARGV[4])
local last = 9 + 2 * tonumber(ARGV[9])
for i = 10, last, 2 do
  if call('HGET', ns .. 'owners', ARGV[i]) == session then
    if ARGV[i + 1] ~= '' then call('HSET', ns .. 'clocks', ARGV[i], ARGV[i + 1]) end
    disown(ARGV[i], session)
  end
end
for _, host in ipairs(call('ZRANGEBYSCORE', ns .. 'cooling', '-inf', now, 'LIMIT', 0, 1000)) do rank(host) end

-- One worker is the learner for all, as long as it polls.
local is_learner = 0
if ARGV[7] ~= '' then
  local holder = call('HGET', ns .. 'learner', 'session')
  local until_then = tonumber(call('HGET', ns .. 'learner', 'until') or 0)
  local place = ARGV[7]
  if holder and holder ~= session and (until_then < now or not is_live(holder)) then holder = nil end
  if not holder then
    call('HSET', ns .. 'learner', 'session', session)
    place = '-'
  end
  if not holder or holder == session then
    is_learner = 1
    call('HSET', ns .. 'learner', 'until', now + lease, 'place', place)
  end
end

-- True when the learner has consumed all entries; others may still bring links.
local function all_is_taken()
  local newest = call('XREVRANGE', ns .. 'seen', '+', '-', 'COUNT', 1)
  return #newest == 0 or newest[1][1] == call('HGET', ns .. 'learner', 'place')
end

local acquired, again = {}, {}
local wanted = tonumber(ARGV[6])
if wanted > 0 and is_calm() then
  for _, host in ipairs(call('ZRANGE', ns .. 'free', 0, wanted - 1)) do
    own(host, session)
    acquired[#acquired + 1] = first_of(host, count)
  end
end
local read = {}
for i = last + 1, #ARGV do read[ARGV[i]] = true end
for _, host in ipairs(call('SMEMBERS', ns .. 'changed:' .. session)) do read[host] = true end
call('DEL', ns .. 'changed:' .. session)
for host in pairs(read) do
  if call('HGET', ns .. 'owners', host) == session then again[#again + 1] = first_of(host, count) end
end

local free = call('ZRANGE', ns .. 'free', 0, 0, 'WITHSCORES')
local cooling = call('ZCOUNT', ns .. 'cooling', '-inf', '(+inf')
local hosts = call('ZCARD', ns .. 'free') + cooling
for _, active in ipairs(call('HVALS', ns .. 'active')) do hosts = hosts + tonumber(active) end
if ARGV[3] ~= '' and #acquired == 0 and #again == 0 then
  call('SADD', ns .. 'dry', session)
else
  call('SREM', ns .. 'dry', session)
end
local live, place = call('ZCARD', ns .. 'workers'), 0
for _, other in ipairs(call('ZRANGE', ns .. 'workers', 0, -1)) do
  if tonumber(other) < tonumber(session) then place = place + 1 end
end
local is_dry = #free == 0 and cooling == 0 and call('SCARD', ns .. 'dry') == live and all_is_taken()
local announced, known = call('LLEN', ns .. 'announced'), tonumber(ARGV[8])
if announced < known then known = 0 end -- a killed server has lost some
return { string.format('%.6f', now), call('HGETALL', ns .. 'counts'), live, hosts, free[2] or '', is_dry and 1 or 0, acquired, again,
  tonumber(call('HGET', ns .. 'seqs', session) or 0), is_learner, tonumber(call('HGET', ns .. 'learned', 'number') or 0),
  tonumber(call('GET', ns .. 'told') or 0), tonumber(call('HGET', ns .. 'harvest', 'pages') or 0),
  tonumber(call('HGET', ns .. 'harvest', 'kept') or 0), tonumber(call('HGET', ns .. 'harvest', 'articles') or 0), announced, call('LRANGE', ns .. 'announced', known, -1), place }
