"""What the scheduler is made of: leases and their ends, requests that are no rows, host clocks, the clock, the tally."""
