-- How the crawl stands. Gives counts of states, hosts with how many of their URLs wait and are leased, reasons of ends with how many.

local hosts = {}
for host in pairs(waiting_hosts()) do
  hosts[#hosts + 1] = { host, waiting_of(host), call('HLEN', ns .. 'l:' .. host) }
end
return { call('HGETALL', ns .. 'counts'), hosts, call('HGETALL', ns .. 'reasons') }
