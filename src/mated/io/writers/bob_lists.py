"""Score lists of bob: two, four or five columns without a header.

    -1|1 score                                          bob2
    claimed_id real_id probe_label score                bob4
    claimed_id model_label real_id probe_label score    bob5

The claimed identity is the reference's subject, the real one the probe's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mated.errors import MatedError
from mated.io.writers.columns import flags_of, score_texts, scores_of, unit_note
from mated.io.writers.lines import labels_of, losses, orientation_option, write_lines
from mated.io.writers.names import samples_of, subjects_of
from mated.io.writers.output import Written

if TYPE_CHECKING:
    from mated.io.writers.output import Output
    from mated.scores import Comparisons, PairIds

__all__ = ["write_bob"]

_NOBODY = "x"


def write_bob(comparisons: Comparisons, output: Output, width: Literal[2, 4, 5]) -> Written:
    """Write a list of two, four or five columns; the score of a failure is NaN."""
    scores = score_texts(scores_of(comparisons))
    if width == 2:
        columns: list[Any] = [np.where(flags_of(comparisons), "1", "-1").astype(object)]
        notes = losses(comparisons, "a list of two columns", subjects=True, samples=True)
    else:
        columns, notes = _names(comparisons, output, width)
        notes = (*losses(comparisons, f"a list of {width} columns"), *notes)
    with output.files(output.path) as (temporary,):
        write_lines(temporary, [*columns, scores])
    reading = f"--format bob{orientation_option(comparisons)}"
    return Written((output.path,), len(scores), (*notes, *unit_note(comparisons.unit)), reading)


def _names(comparisons: Comparisons, output: Output, width: Literal[4, 5]) -> tuple[list[Any], tuple[str, ...]]:
    subjects, samples = subjects_of(comparisons), samples_of(comparisons)
    if subjects is None:
        raise MatedError(
            f"{output.path}: a list of {width} columns names subjects, and these comparisons name none; write two "
            "columns (--to bob2)"
        )
    of_subject = labels_of(subjects, str(output.path), "subject")
    claimed, real = of_subject[subjects.reference], of_subject[subjects.probe]
    notes: tuple[str, ...] = ()
    if samples is None:
        for codes in (subjects.probe, subjects.reference)[: width - 3]:
            if len(np.unique(codes)) == 1:
                raise MatedError(
                    f"{output.path}: samples are not named, and of one subject alone a label for all would be taken "
                    "for a sample; write two columns (--to bob2)"
                )
        probes = models = np.full(len(claimed), _NOBODY, dtype=object)
        notes = (f"samples are not named: every label is {_NOBODY!r}",)
    elif width == 4:
        notes = _note_on_references(subjects, samples, output)
        probes = models = labels_of(samples, str(output.path), "sample")[samples.probe]
    else:
        of_sample = labels_of(samples, str(output.path), "sample")
        probes, models = of_sample[samples.probe], of_sample[samples.reference]
    return [claimed, real, probes] if width == 4 else [claimed, models, real, probes], notes


def _note_on_references(subjects: PairIds, samples: PairIds, output: Output) -> tuple[str, ...]:
    """Four columns do not name references: each claimed id is taken to have one, which is no probe."""
    pairs = np.unique(np.stack([subjects.reference, samples.reference]), axis=1)
    several = pairs.shape[1] > len(np.unique(pairs[0]))
    shared = bool(np.isin(samples.reference, samples.probe).any())
    if not (several or shared):
        return ("a list of 4 columns does not name references: each claimed id has one",)
    what = "a subject has several references" if several else "a sample is probe and reference"
    return output.refuse_or_note(
        f"{what}, and a list of four columns names no references, so that searches would come out otherwise",
        "write five columns (--to bob5)",
        f"{what}, and four columns do not tell: each claimed id is read as one reference",
    )
