-- Returns the number of URLs in each state.

return call('HGETALL', ns .. 'counts')
