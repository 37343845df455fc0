-- What is known of URLs, and hosts nobody owns are taken. ARGV: session, rows a host, digests, then so many; then hosts to take.
-- Gives an index entry a digest ('' = never met), and the first of the hosts taken.

local session, count, digests = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local entries, taken = {}, {}
for i = 4, 3 + digests do
  entries[i - 3] = call('HGET', index_of(ARGV[i])) or ''
end
if is_live(session) and is_calm() then
  for i = 4 + digests, #ARGV do
    if not call('HGET', ns .. 'owners', ARGV[i]) then
      own(ARGV[i], session)
      taken[#taken + 1] = first_of(ARGV[i], count)
    end
  end
end
return { entries, taken }
