-- Returns the record of a URL. ARGV: digest.

local entry = call('HGET', index_of(ARGV[1]))
return entry and call('HGET', row_of(string.sub(entry, 2, 6))) or ''
