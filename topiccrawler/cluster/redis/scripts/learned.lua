-- The newest state. Gives nothing when there is none, else number, who made it, place, taken, entries, time, state.

return call('HMGET', ns .. 'learned', 'number', 'by', 'place', 'taken', 'entries', 'at', 'state')
