-- Numbers for URLs to come. ARGV: how many. Gives the first.

return tostring(call('INCRBY', ns .. 'numbers', ARGV[1]) - ARGV[1] + 1)
