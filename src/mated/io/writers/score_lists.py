"""Two score lists, one of each class, as pyeer and others read them: a score a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mated.errors import MatedError
from mated.io.writers.columns import flags_of, score_texts, scores_of, unit_note
from mated.io.writers.lines import losses, orientation_option, write_lines
from mated.io.writers.output import Written, beside, options

if TYPE_CHECKING:
    from mated.io.writers.output import Output
    from mated.scores import Comparisons

__all__ = ["write_lists"]


def write_lists(comparisons: Comparisons, output: Output) -> Written:
    """Write scores.txt as scores_mated.txt and scores_nonmated.txt; the score of a failure is NaN."""
    scores, mated = score_texts(scores_of(comparisons)), flags_of(comparisons)
    if mated.all() or not mated.any():
        missing = "non-mated" if mated.all() else "mated"
        raise MatedError(
            f"{output.path}: there is no {missing} comparison, and an empty list cannot be read; write a table"
        )
    paths = tuple(beside(output.path, name) for name in ("mated", "nonmated"))
    with output.files(*paths) as temporary:
        for path, part in zip(temporary, (mated, ~mated), strict=True):
            write_lines(path, [scores.filter(part)])
    notes = losses(comparisons, "a pair of score lists", subjects=True, samples=True)
    reading = options(("--mated", paths[:1]), ("--nonmated", paths[1:])) + orientation_option(comparisons)
    return Written(paths, len(scores), (*notes, *unit_note(comparisons.unit)), reading)
