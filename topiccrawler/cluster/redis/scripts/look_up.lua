-- Looks URLs up and acquires hosts that nobody owns. ARGV: session, rows a host, count of digests, digests; then hosts to acquire.
-- Returns the index entry of each digest ('' = new), and the first rows of each acquired host.

local session, count, digests = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local entries, acquired = {}, {}
for i = 4, 3 + digests do
  entries[i - 3] = call('HGET', index_of(ARGV[i])) or ''
end
if is_live(session) and is_calm() then
  for i = 4 + digests, #ARGV do
    if not call('HGET', ns .. 'owners', ARGV[i]) then
      own(ARGV[i], session)
      acquired[#acquired + 1] = first_of(ARGV[i], count)
    end
  end
end
return { entries, acquired }
