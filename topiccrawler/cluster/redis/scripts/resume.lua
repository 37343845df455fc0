-- Resumes a worker after the server was away, or lost its last writes. ARGV: session, lease seconds, slot, the oldest batch of changes
-- that the worker can send again, then the hosts it owns.
-- Returns nil when it was declared dead meanwhile, else the last batch that the server has and the hosts that have another owner now.

local FORGOTTEN = 1000000 -- more numbers than workers can have reserved in the second or two that a killed server has lost
local session, lease = ARGV[1], tonumber(ARGV[2])
reap(lease)
if call('SISMEMBER', ns .. 'reaped', session) == 1 then return false end
if tonumber(call('GET', ns .. 'sessions') or 0) < tonumber(session) then call('SET', ns .. 'sessions', session) end
call('ZADD', ns .. 'workers', now + lease, session)
if is_calm() then call('INCRBY', ns .. 'numbers', FORGOTTEN) end -- the first worker to resume
call('SET', ns .. 'calm', string.format('%.6f', now + CALM_SECONDS))
call('HSETNX', ns .. 'slots', ARGV[3], session)
local mine, lost = {}, {}
for i = 5, #ARGV do
  local host = ARGV[i]
  local owner = call('HGET', ns .. 'owners', host)
  mine[host] = true
  if not owner or not is_live(owner) then
    own(host, session)
  elseif owner ~= session then
    lost[#lost + 1] = host
  end
end
for _, host in ipairs(call('SMEMBERS', ns .. 'owned:' .. session)) do
  if not mine[host] then disown(host, session) end
end
local last = math.max(tonumber(call('HGET', ns .. 'seqs', session) or 0), tonumber(ARGV[4]) - 1)
call('HSET', ns .. 'seqs', session, last)
return { last, lost }
