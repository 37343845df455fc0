-- Reads entries of the stream after a place. ARGV: session whose texts are not wanted ('' = all are), place, how many.
-- Returns place, session, number and text of each.

local from = ARGV[2] == '-' and '-' or '(' .. ARGV[2]
local found = {}
for at, one in ipairs(call('XRANGE', ns .. 'seen', from, '+', 'COUNT', ARGV[3])) do
  local fields = one[2]
  found[at] = { one[1], fields[2], fields[4], fields[2] == ARGV[1] and '' or fields[6] }
end
return found
