-- The newest state. Gives nothing when there is none, else number, session of the learner, place, taken (entries covered), entries, time, state.

return call('HMGET', ns .. 'learned', 'number', 'by', 'place', 'taken', 'entries', 'at', 'state')
