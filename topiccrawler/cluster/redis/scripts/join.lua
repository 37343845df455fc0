-- Adds a worker to the crawl. ARGV: lease seconds, recipe, numbers wanted, its process, then sessions whose processes are known to have
-- ended. Returns the session (the fencing number), slot, first of its numbers, time of the server, recipe of the crawl, live workers;
-- an empty session when the crawl was begun with another recipe.

reap(tonumber(ARGV[1]))
if call('SETNX', ns .. 'recipe', ARGV[2]) == 0 and call('GET', ns .. 'recipe') ~= ARGV[2] then
  return { '', '', '', '', call('GET', ns .. 'recipe'), '' }
end
for i = 5, #ARGV do
  forget(ARGV[i])
  call('SADD', ns .. 'reaped', ARGV[i])
end
local session = tostring(call('INCR', ns .. 'sessions'))
local used = {}
local slots = call('HGETALL', ns .. 'slots')
for i = 1, #slots, 2 do used[slots[i]] = true end
local slot = 0
while used[tostring(slot)] do slot = slot + 1 end
call('HSET', ns .. 'slots', slot, session)
call('ZADD', ns .. 'workers', now + tonumber(ARGV[1]), session)
call('HSET', ns .. 'processes', session, ARGV[4])
local live = call('ZCARD', ns .. 'workers')
if live == 1 then -- the first worker may have larger budgets, so closed hosts are opened again
  for _, host in ipairs(call('ZRANGEBYSCORE', ns .. 'cooling', '+inf', '+inf')) do
    local clock = call('HGET', ns .. 'clocks', host) or '' -- only the time goes: the next owner needs the page counts
    call('HSET', ns .. 'clocks', host, struct.pack('>d', 0) .. string.sub(clock, 9))
    rank(host)
  end
end
local last = call('INCRBY', ns .. 'numbers', ARGV[3])
return { session, tostring(slot), tostring(last - ARGV[3] + 1), string.format('%.6f', now), ARGV[2], tostring(live) }
