-- Returns the newest state of the learner: number, session of the learner, place, last entry consumed of each session (JSON), number of
-- entries consumed, time, state. All are nil when there is none.

return call('HMGET', ns .. 'learned', 'number', 'by', 'place', 'taken', 'entries', 'at', 'state')
