-- Returns the first rows of a host's queue. ARGV: host, number of rows.

return first_of(ARGV[1], tonumber(ARGV[2]))
