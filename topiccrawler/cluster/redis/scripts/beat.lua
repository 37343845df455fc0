-- Extends the deadline of a worker (a sign of life). ARGV: session, lease seconds.

call('SET', ns .. 'pulse', string.format('%.6f', now))
return call('ZADD', ns .. 'workers', 'XX', 'CH', now + tonumber(ARGV[2]), ARGV[1])
