-- Counts a request of a key, unless its quota is used up. The script is atomic, and it uses the store's
-- clock, so the clocks of the replicas need not agree.
--
-- KEYS[1]  the key; its value is the time at which the quota is full again, in microseconds
-- ARGV[1]  the time after which one more request is allowed, in microseconds
-- ARGV[2]  the burst: how many requests are allowed at once
--
-- Returns whether the request is allowed, and the microseconds until the quota is full again.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local interval = tonumber(ARGV[1])
local burst = tonumber(ARGV[2])
local owed = math.max((tonumber(redis.call('GET', KEYS[1])) or now) - now, 0)
local after = owed + interval
if after > interval * burst then
    return { 0, math.ceil(owed) }
end
redis.call('SET', KEYS[1], string.format('%.0f', now + after), 'PX', math.ceil(after / 1000))
return { 1, math.ceil(after) }
