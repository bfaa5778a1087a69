-- The token buckets of bucket.ts on Redis time. One draw after the other gives each of at most `count` its `cost` from every bucket, or nothing.
-- KEYS: the buckets of all draws; ARGV: the time in ms or '' for Redis' own, then of each draw: how many buckets, cost, count, capacity and window in ms of each bucket.
-- Answers of each draw: how many got theirs, then of each bucket: tokens left, ms until the cost is there, ms until full. Texts: a number
-- of Redis is a whole one.
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
end

-- Sums of fractions miss whole numbers by less than this
local rounding = 1e-6
local function wholeMs(ms) return math.max(0, math.ceil(ms - rounding)) end

local answer = {}
local keysBefore, argument = 0, 2
while argument <= #ARGV do
  local buckets, cost, count = tonumber(ARGV[argument]), tonumber(ARGV[argument + 1]), tonumber(ARGV[argument + 2])
  local terms = argument + 1
  local capacities, windows, held, times = {}, {}, {}, {}
  local granted = count
  for at = 1, buckets do
    local capacity, window = tonumber(ARGV[terms + at * 2]), tonumber(ARGV[terms + at * 2 + 1])
    local tokens, time = capacity, now
    local kept = redis.call('GET', KEYS[keysBefore + at])
    if kept then
      local keptTokens, keptAt = string.match(kept, '^(%S+) (%S+)$')
      keptTokens, keptAt = tonumber(keptTokens), tonumber(keptAt)
      -- Time is a wall clock's: where it stepped back, nothing refills, but for one window at most
      if keptAt - now <= window then time = math.max(now, keptAt) end
      tokens = math.min(capacity, keptTokens + math.max(0, time - keptAt) * capacity / window)
    end
    if cost > 0 then granted = math.min(granted, math.max(0, math.floor((tokens + rounding) / cost))) end
    capacities[at], windows[at], held[at], times[at] = capacity, window, tokens, time
  end

  answer[#answer + 1] = granted
  for at = 1, buckets do
    local capacity, window = capacities[at], windows[at]
    local tokens = held[at] - granted * cost
    local missing = math.min(cost, capacity) - tokens
    local retryAfter = 0
    if missing > rounding or cost > capacity then retryAfter = wholeMs(missing * window / capacity) end
    local fullAfter = wholeMs((capacity - tokens) * window / capacity)
    -- A bucket that is full is the same as one that is not kept; a minute more, so that no clock's error frees it early
    redis.call('SET', KEYS[keysBefore + at], string.format('%.17g %.17g', tokens, times[at]), 'PX', string.format('%.0f', fullAfter + 60000))
    answer[#answer + 1] = string.format('%.17g', tokens)
    answer[#answer + 1] = string.format('%.0f', retryAfter)
    answer[#answer + 1] = string.format('%.0f', fullAfter)
  end
  keysBefore = keysBefore + buckets
  argument = terms + buckets * 2 + 2
end
return answer
