"""What a claim may say, and the reader of its text.

    claim      = measure direction number [at condition [and condition]] [for name]
    direction  = <= | >= | < | > | ≤ | ≥
    condition  = threshold number | fmr number | tmr number | fpir number | gallery number

A number may be a percentage. `MEASURES` says which conditions go with which measure. A rate of verification without a
condition is claimed at the thresholds in use, which the study names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from difflib import get_close_matches
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from mated.errors import MatedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["CONDITIONS", "DIRECTIONS", "MEASURES", "Claim", "Direction", "grammar_table", "parse_claim"]

Direction: TypeAlias = Literal["<=", ">=", "<", ">"]

MEASURES: Mapping[str, tuple[str, tuple[tuple[str, ...], ...]]] = MappingProxyType(
    {
        "fmr": ("false match rate", (("threshold",), ("tmr",), ())),
        "fnmr": ("false non-match rate", (("fmr",), ("threshold",), ())),
        "tmr": ("true match rate", (("fmr",), ("threshold",), ())),
        "eer": ("equal error rate", ((),)),
        "auc": ("area under the ROC", ((),)),
        "rank": ("share found at that rank or better (rank1, rank5, ...)", ((), ("gallery",))),
        "fnir": (
            "false negative identification rate",
            (("fpir",), ("threshold",), ("fpir", "gallery"), ("gallery", "threshold")),
        ),
        "tpir": (
            "true positive identification rate",
            (("fpir",), ("threshold",), ("fpir", "gallery"), ("gallery", "threshold")),
        ),
        "fpir": ("false positive identification rate", (("threshold",), ("gallery", "threshold"))),
        "pauc": ("area under the error-versus-discard curve up to the limit", ((),)),
    }
)
"""What can be claimed, in words, and the conditions that go with it; () stands for none."""

CONDITIONS = ("threshold", "fmr", "tmr", "fpir", "gallery")
DIRECTIONS: Mapping[str, Direction] = MappingProxyType(
    {"<=": "<=", ">=": ">=", "≤": "<=", "≥": ">=", "<": "<", ">": ">"}
)

# Other words people use, and what they are called here.
_OTHER_WORDS = {
    "far": "fmr", "fpr": "fmr", "frr": "fnmr", "fnr": "fnmr", "tar": "tmr", "tpr": "tmr", "gar": "tmr", "gmr": "tmr",
    "crr": "eer", "dir": "tpir", "top": "rank", "cmc": "rank", "size": "gallery", "n": "gallery", "score": "threshold",
    "t": "threshold",
}  # fmt: skip

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"[^\W\d_]+")
_DIRECTION = re.compile("|".join(map(re.escape, DIRECTIONS)))
_LARGEST_GALLERY = 10**12


@dataclass(frozen=True)
class Claim:
    """A claim that was read.

    Attributes
    ----------
    text
        As it was written.
    measure, rank
        What is claimed, a key of `MEASURES`, and the rank where it is "rank".
    direction, limit
        Which side of which number.
    at
        Where it is claimed: threshold, fmr, tmr, fpir, gallery.
    about
        The name after "for": a system, or a quality algorithm where an area is claimed.
    """

    text: str
    measure: str
    direction: Direction
    limit: float
    rank: int | None = None
    at: Mapping[str, float] = field(default_factory=dict)
    about: str | None = None

    @property
    def forecast(self) -> bool:
        """Whether it speaks of a gallery other than that of the data."""
        return "gallery" in self.at

    @property
    def at_the_thresholds_in_use(self) -> bool:
        """Whether it speaks of a rate of verification and does not say where."""
        return self.measure in ("fmr", "fnmr", "tmr") and not self.at

    @property
    def words(self) -> str:
        """What is claimed a limit of, for sentences: "FNMR at FMR 0.0001"."""
        name = f"rank-{self.rank} rate" if self.measure == "rank" else self.measure.upper()
        name = "pAUC" if self.measure == "pauc" else name
        where = " and ".join(f"{_said(key)} {_number(value)}" for key, value in self.at.items())
        return f"{name} at {where}" if where else name


def parse_claim(text: str) -> Claim:
    """Read a claim.

    Raises
    ------
    MatedError
        The text is no claim; the sentence says at which character it ceases to be one, and what may stand there.
    """
    return _Reader(text).claim()


def grammar_table() -> str:
    """Return what can be claimed in Markdown, as docs/how-to/report.md holds it."""
    rows = ["| Measure | Meaning | At |", "|---|---|---|"]
    for name, (meaning, allowed) in MEASURES.items():
        at = "; ".join(" and ".join(f"`{c}`" for c in given) or "–" for given in allowed)
        rows.append(f"| `{name}{'N' if name == 'rank' else ''}` | {meaning} | {at} |")
    return "\n".join(rows) + "\n"


class _Reader:
    """Reads a text from left to right."""

    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0

    def claim(self) -> Claim:
        measure = self.one_of(tuple(MEASURES), "a measure")
        rank = self.rank() if measure == "rank" else None
        direction = self.direction()
        started = self.skip()
        limit = self.number()
        if not 0 <= limit <= 1:
            raise self.wrong(
                f"the limit of a rate or an area lies between 0 and 1 (3 % is 0.03), and {limit:g} does not", started
            )
        at, about = self.conditions(measure), None
        if self.peek() == "for":
            self.one_of(("for",), "'for'")
            about = self.name()
        if self.skip() < len(self.text):
            raise self.wrong(
                f"nothing is expected any more but 'at', 'for' or the end, and {self.rest()!r} stands there"
            )
        return Claim(self.text, measure, direction, limit, rank, MappingProxyType(at), about)

    def rank(self) -> int:
        if self.text[self.place : self.place + 1] in ("-", "_"):
            self.place += 1
        started = self.skip()
        value = self.number()
        if value != int(value) or value < 1:
            raise self.wrong(f"a rank is a whole number from 1 on, and {value:g} is none", started)
        return int(value)

    def direction(self) -> Direction:
        self.skip()
        found = _DIRECTION.match(self.text, self.place)
        if not found:
            raise self.wrong(f"one of <=, >=, <, > is expected, and {self.rest()!r} stands there")
        self.place = found.end()
        return DIRECTIONS[found.group()]

    def conditions(self, measure: str) -> dict[str, float]:
        allowed = MEASURES[measure][1]
        at: dict[str, float] = {}
        began = self.skip()
        while self.peek() == "at" or (at and self.peek() == "and"):
            self.one_of(("at", "and"), "'at'")
            started = self.skip()
            key = self.one_of(CONDITIONS, "a condition")
            if key in at:
                raise self.wrong(f"{key} is said twice", started)
            valued = self.skip()
            at[key] = self.number()
            self.check(key, at[key], valued)
            if key == "gallery":
                at[key] = int(at[key])
        if tuple(sorted(at)) not in {tuple(sorted(given)) for given in allowed}:
            wanted = "; or ".join(" and ".join(f"'at {c} ...'" for c in given) or "nothing" for given in allowed)
            given = " and ".join(f"'at {key}'" for key in at) or "nothing"
            raise self.wrong(f"after {measure} and its limit comes {wanted}, not {given}", began)
        return at

    def check(self, key: str, value: float, place: int) -> None:
        if key == "gallery" and (value != int(value) or not 2 <= value <= _LARGEST_GALLERY):
            raise self.wrong(
                f"a gallery holds from 2 to 10^12 identities, a whole number, and {value:g} is none", place
            )
        if key in ("fmr", "tmr", "fpir") and not (0 < value < 1 or (key == "tmr" and value == 1)):
            raise self.wrong(f"{key} lies between 0 and 1 (0.1 % is 0.001), and {value:g} does not", place)

    def name(self) -> str:
        self.skip()
        name = self.text[self.place :].strip()
        if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'":
            name = name[1:-1]
        if not name:
            raise self.wrong("the name of a system or algorithm is expected after 'for'")
        self.place = len(self.text)
        return name

    def number(self) -> float:
        self.skip()
        found = _NUMBER.match(self.text, self.place)
        if not found:
            raise self.wrong(f"a number is expected, and {self.rest()!r} stands there")
        self.place = found.end()
        written = found.group()
        after = self.skip()
        if self.text[after : after + 1] == "%":
            self.place = after + 1
            return float(Decimal(written) / 100)  # the decimal that was written, not a quotient of floats
        value: float = int(written) if written.lstrip("+-").isdigit() else float(written)
        if not isfinite(value):
            raise self.wrong(f"{written} is beyond every number that can be measured", found.start())
        return value

    def one_of(self, words: Sequence[str], what: str) -> str:
        place = self.skip()
        found = _WORD.match(self.text, place)
        word = found.group().lower() if found else ""
        if found and word in words:
            self.place = found.end()
            return word
        near = (
            [_OTHER_WORDS[word]] if _OTHER_WORDS.get(word) in words else get_close_matches(word, words, n=1, cutoff=0.5)
        )
        meant = f"did you mean {near[0]!r}? " if near else ""
        raise self.wrong(
            f"{what} is expected, and {self.rest()!r} stands there; {meant}it is one of {', '.join(words)}"
        )

    def peek(self) -> str:
        found = _WORD.match(self.text, self.skip())
        return found.group().lower() if found else ""

    def rest(self) -> str:
        rest = self.text[self.skip() :]
        return rest.split()[0] if rest else "the end"

    def skip(self) -> int:
        while self.place < len(self.text) and self.text[self.place].isspace():
            self.place += 1
        return self.place

    def wrong(self, why: str, place: int | None = None) -> MatedError:
        at = (self.place if place is None else place) + 1
        return MatedError(f"the claim {self.text!r} cannot be read at character {at}: {why}")


def _said(condition: str) -> str:
    return condition if condition in ("threshold", "gallery") else condition.upper()


def _number(value: float) -> str:
    return f"{value:,}".replace(",", "\u202f") if isinstance(value, int) else f"{value:g}"
