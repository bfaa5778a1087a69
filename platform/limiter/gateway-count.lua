-- How many gateways there are: each says so every few seconds, and is forgotten when it was silent for too long.
-- KEYS: those of an installation, by when they last spoke on Redis time; ARGV: the gateway, and after how many ms of silence one is gone; 0: it leaves.
-- Answers how many there are, this one among them, and 1 where it was not known before.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local silence = tonumber(ARGV[2])
if silence == 0 then
  redis.call('ZREM', KEYS[1], ARGV[1])
  return { redis.call('ZCARD', KEYS[1]) }
end
local added = redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - silence)
redis.call('PEXPIRE', KEYS[1], silence)
return { redis.call('ZCARD', KEYS[1]), added }
