// SPDX-License-Identifier: GPL-2.0-or-later
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function Point(x, y) { this.x = x; this.y = y; }
Point.prototype.add = function (o) { return new Point(this.x + o.x, this.y + o.y); };
function sieve(n) {
	var s = [], count = 0, i, j;
	for (i = 2; i <= n; ++i) s[i] = true;
	for (i = 2; i <= n; ++i)
		if (s[i]) {
			++count;
			for (j = i * i; j <= n; j += i) s[j] = false;
		}
	return count;
}
function words(n) {
	var seen = {}, out = [], i, w;
	for (i = 1; i <= n; ++i) {
		w = "w" + i * 7919 % 1009;
		seen[w] = (seen[w] || 0) + 1;
		if (i % 50 == 0) out.push(w.toUpperCase().replace(/\d/g, "<>"));
	}
	return out.join(",").length + out.length;
}
var total = 0, round, i, p, t;
for (round = 0; round < @SCALE@; ++round) {
	total += fib(20) + sieve(10000) + words(10000);
	p = new Point(0, 0);
	for (i = 1; i <= 20000; ++i) p = p.add(new Point(i, 1));
	t = [];
	for (i = 0; i < 5000; ++i) t[i] = i * 7919 % 5003;
	t.sort(function (a, b) { return a - b; });
	total += p.x + t[700];
}
print(total);
