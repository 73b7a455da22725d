# SPDX-License-Identifier: GPL-2.0-or-later
"""The text of functions in a kernel's source, and which line of one version is which of another."""

import difflib
import functools
import os

BASIS, PRIME, WORD = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1  # FNV-1a, 64 bits
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._"


def bare(line):
    """Without blanks.

    >>> bare("\\tif (a  && b)")
    'if(a&&b)'
    """
    return "".join(line.split())


@functools.lru_cache(None)
def anchor(line):
    """Two digits of base 64 for the text of a line, blanks left out; as hybrid/evidence/LineAnchors.

    >>> anchor("  return 0;") == anchor("return  0;") != anchor("return 1;")
    True
    """
    value = BASIS
    for byte in bare(line).encode():
        value = (value ^ byte) * PRIME & WORD
    value ^= value >> 32
    value ^= value >> 16
    return DIGITS[value >> 6 & 63] + DIGITS[value & 63]


class Source:
    """The files of one tree."""

    def __init__(self, root):
        self.root, self.files = root, {}

    def lines(self, path):
        if path not in self.files:
            try:
                with open(os.path.join(self.root, path), encoding="utf-8", errors="replace") as file:
                    self.files[path] = file.read().split("\n")
            except OSError:
                self.files[path] = []
        return self.files[path]

    def body(self, path, line):
        """From the line of a function's name, counted from 1, to its last brace."""
        lines, end = self.lines(path), line
        while end < len(lines) and not lines[end - 1].startswith("}"):
            end += 1
        return lines[line - 1:end]


def same_lines(old, new):
    """{line of old: line of new}, both from 0, of what is in both in the same order.

    >>> same_lines(["f()", "{", "a;", "b;", "}"], ["f()", "{", "x;", "a;", "b;", "}"])
    {0: 0, 1: 1, 2: 3, 3: 4, 4: 5}
    """
    if old == new:
        return {n: n for n in range(len(old))}
    blocks = difflib.SequenceMatcher(None, [bare(line) for line in old], [bare(line) for line in new], autojunk=False).get_matching_blocks()
    return {block.a + n: block.b + n for block in blocks for n in range(block.size)}
