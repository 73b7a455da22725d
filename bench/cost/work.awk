# SPDX-License-Identifier: GPL-2.0-or-later
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
{
	for (i = 1; i <= NF; ++i) {
		++seen[$i]
		if ($i ~ /^[a-m].*ne$/) ++matched
		length_sum += length($i)
	}
}
/e$/ { last = toupper(substr($0, 1, 20)); gsub(/[aeiou]/, "<&>", last); joined = joined last }
END {
	for (i = 0; i < 200000 * @SCALE@; ++i) list[i % 5000] += i * 7919 % 5003
	for (word in seen) total += seen[word]
	print total, matched, length_sum, length(joined), list[70], fib(21)
}
