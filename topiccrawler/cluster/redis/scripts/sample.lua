-- Returns the scores (8 bytes each) of about `count` waiting URLs drawn at random; of all when at most twice as many wait.
-- ARGV: count, seed. O(count), and O(hosts) when few wait.

local count, waiting = tonumber(ARGV[1]), tonumber(call('HGET', ns .. 'counts', WAITING) or 0)
local found = {}
if waiting <= 2 * count then
  for host in pairs(waiting_hosts()) do
    local queue = first(host, waiting)
    for i = 2, #queue, 2 do found[#found + 1] = struct.pack('>d', -tonumber(queue[i])) end
  end
else
  math.randomseed(tonumber(ARGV[2]))
  for _ = 1, math.min(4096, math.ceil(count * 65536 / waiting)) do -- digests are random, so an index bucket is a random sample
    local drawn = string.char(math.random(0, 255), math.random(0, 255))
    for _, entry in ipairs(call('HVALS', ns .. 'i:' .. drawn)) do
      if string.byte(entry) == WAITING then found[#found + 1] = string.sub(entry, 11, 18) end
    end
  end
end
return table.concat(found)
