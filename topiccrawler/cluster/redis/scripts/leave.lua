-- Removes a worker from the crawl: its hosts are free, its leases wait again. ARGV: session, then hosts, each with its clock.

local session = ARGV[1]
if not is_live(session) then return 0 end
for i = 2, #ARGV, 2 do
  if call('HGET', ns .. 'owners', ARGV[i]) == session then call('HSET', ns .. 'clocks', ARGV[i], ARGV[i + 1]) end
end
forget(session)
return 1
