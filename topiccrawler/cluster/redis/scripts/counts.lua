-- URLs by state.

return call('HGETALL', ns .. 'counts')
