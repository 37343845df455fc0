-- Returns an overview of the crawl: counts by state, each host with its numbers of waiting and leased URLs, counts by state and reason.

local hosts = {}
for host in pairs(waiting_hosts()) do
  hosts[#hosts + 1] = { host, waiting_of(host), call('HLEN', ns .. 'l:' .. host) }
end
return { call('HGETALL', ns .. 'counts'), hosts, call('HGETALL', ns .. 'reasons') }
