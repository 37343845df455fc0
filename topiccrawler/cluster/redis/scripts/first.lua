-- The first of a host's queue. ARGV: host, rows.

return first_of(ARGV[1], tonumber(ARGV[2]))
