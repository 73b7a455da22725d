-- SPDX-License-Identifier: GPL-2.0-or-later
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local Point = {}
Point.__index = Point
function Point.new(x, y) return setmetatable({x = x, y = y}, Point) end
function Point:add(o) return Point.new(self.x + o.x, self.y + o.y) end
local function sieve(n)
  local s, count = {}, 0
  for i = 2, n do s[i] = true end
  for i = 2, n do
    if s[i] then count = count + 1 for j = i * i, n, i do s[j] = false end end
  end
  return count
end
local function words(n)
  local seen, out = {}, {}
  for i = 1, n do
    local w = "w" .. (i * 7919 % 1009)
    seen[w] = (seen[w] or 0) + 1
    if i % 50 == 0 then out[#out + 1] = w:upper():gsub("(%d)", "<%1>") end
  end
  return #table.concat(out, ",") + #out
end
local function coro(n)
  local co = coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end return 0 end)
  local s = 0
  for _ = 1, n do s = s + co() end
  return s
end
local total = 0
for round = 1, @SCALE@ do
  total = total + fib(22) + sieve(40000) + words(20000) + coro(10000)
  local p = Point.new(0, 0)
  for i = 1, 60000 do p = p:add(Point.new(i, 1)) end
  local t = {}
  for i = 1, 15000 do t[i] = (i * 7919) % 15013 end
  table.sort(t, function(a, b) return a < b end)
  total = total + p.x + t[7000]
end
print(total)
