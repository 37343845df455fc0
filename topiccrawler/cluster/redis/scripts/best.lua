-- Returns the records of the waiting URLs with the best scores of all hosts, best first. ARGV: how many. O(hosts).

local count = tonumber(ARGV[1])
local found = {}
for host in pairs(waiting_hosts()) do
  local queue = first(host, count)
  for i = 1, #queue, 2 do found[#found + 1] = { tonumber(queue[i + 1]), queue[i], place_of(queue[i]) } end
end
table.sort(found, function(a, b) return a[1] < b[1] or (a[1] == b[1] and a[3] < b[3]) end)
local rows = {}
for i = 1, math.min(count, #found) do rows[i] = call('HGET', row_of(found[i][2])) end
return rows
