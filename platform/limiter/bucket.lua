-- The token bucket of bucket.ts on Redis time: takes ARGV[3] tokens of KEYS[1], all or none.
-- KEYS[1] bucket; ARGV: capacity, window in ms, cost, and for tests the time in ms instead of Redis' own.
-- Answers admitted (1 or 0), whole tokens left, ms until the cost is there, ms until full.
local capacity, window, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now = tonumber(ARGV[4])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
end

-- Sums of fractions miss whole numbers by less than this
local rounding = 1e-6
local tokens, at = capacity, now
local kept = redis.call('GET', KEYS[1])
if kept then
  local keptTokens, keptAt = string.match(kept, '^(%S+) (%S+)$')
  keptTokens, keptAt = tonumber(keptTokens), tonumber(keptAt)
  -- Time is a wall clock's: where it stepped back, nothing refills, but for one window at most
  if keptAt - now <= window then at = math.max(now, keptAt) end
  tokens = math.min(capacity, keptTokens + math.max(0, at - keptAt) * capacity / window)
end

local admitted = cost <= tokens + rounding
local missing = 0
if admitted then
  tokens = tokens - cost
else
  missing = math.min(cost, capacity) - tokens
end
local function wholeMs(ms) return math.max(0, math.ceil(ms - rounding)) end
local fullAfter = wholeMs((capacity - tokens) * window / capacity)

-- A bucket that is full is the same as one that is not kept; a minute more, so that no clock's error frees it early
redis.call('SET', KEYS[1], string.format('%.17g %.17g', tokens, at), 'PX', string.format('%.0f', fullAfter + 60000))
return { admitted and 1 or 0, math.max(0, math.floor(tokens + rounding)), wholeMs(missing * window / capacity), fullAfter }
