-- Reserves numbers for new URLs. ARGV: how many. Returns the first.

return tostring(call('INCRBY', ns .. 'numbers', ARGV[1]) - ARGV[1] + 1)
