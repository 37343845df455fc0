-- Reads records in order of arrival. ARGV: the first number, how many.
-- Returns numbers and records, alternating, and the number to continue from; '' at the end.

local first, last = tonumber(ARGV[1]), tonumber(call('GET', ns .. 'numbers') or 0)
local found, bucket = {}, math.floor(first / 256)
while bucket * 256 <= last and #found < 2 * tonumber(ARGV[2]) do
  local rows = call('HGETALL', ns .. 'r:' .. struct.pack('>I4', bucket))
  for i = 1, #rows, 2 do
    local number = bucket * 256 + string.byte(rows[i])
    if number >= first then
      found[#found + 1] = tostring(number)
      found[#found + 1] = rows[i + 1]
    end
  end
  bucket = bucket + 1
end
return { found, bucket * 256 <= last and tostring(bucket * 256) or '' }
