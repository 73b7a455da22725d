# SPDX-License-Identifier: GPL-2.0-or-later
"""To which part of the object's life each access belongs."""

from known_programs import configuring, ending, making
from known_programs.check import Check, Question, Row
from known_programs.lives import ORDINARY, OWNED, SET_UP, TEARDOWN, Lives, Spot

# First use: the maker goes on with an object that others find.
PARTS = {"steady": ORDINARY, "first-use": ORDINARY}


def word(parts):
    return " and ".join(sorted(parts)) or "nowhere"


class Phases(Check):
    tables = ["what happens to the object", "part of its life"]

    def __init__(self, stories=20):
        self.stories = stories
        self.spots = []

    def add(self, program):
        lives = Lives(program)
        for stories, count in ((making, self.stories // 2), (ending, self.stories // 3), (configuring, self.stories // 6)):
            for _ in range(count):
                program.random.choice(stories.STORIES)(lives)
        lives.finish()
        self.spots, self.rare = lives.spots, lives.rare

    def questions(self):
        rare = [word for name in self.rare for word in ("--hot", name)]
        return [Question("ob", []), *([Question("ob", rare)] if rare else [])]

    def judge(self, reports):
        """
        >>> check = Phases()
        >>> check.spots = [Spot("a", {"set-up"}, "story", ""), Spot("b", {"owned"}, "story", "")]
        >>> def judged(*visits):
        ...     sets = [{"phase": phase, "fields": [{"name": name, "probability": 1}]} for name, phase in visits]
        ...     return [row.words for row in check.judge([{"sets": sets}])]
        >>> judged(("a", "set-up"), ("b", "set-up"), ("b", "teardown"))
        ['', '']
        >>> judged(("a", "set-up"), ("a", "first-use"), ("b", "steady"))
        ['story: a is set-up, not ordinary use and set-up', 'story: b is owned, not ordinary use']
        >>> judged(("a", "configuration"))
        ['story: a is set-up, not configuration', 'story: b is owned, not nowhere']
        """
        found = {}
        for visit in (visit for report in reports for visit in report["sets"]):
            part = PARTS.get(visit["phase"], visit["phase"])
            for field in visit["fields"]:
                if field["probability"] > 0:
                    found.setdefault(field["name"], set()).add(part)
        for spot in self.spots:
            parts = found.get(spot.field, set())
            if spot.parts == {OWNED}:
                parts = {OWNED if part in (SET_UP, TEARDOWN) else part for part in parts}
            words = "" if parts == spot.parts else f"{spot.story}: {spot.field} is {word(spot.parts)}, not {word(parts)}"
            yield Row((spot.story, word(spot.parts)), words, spot.known)
