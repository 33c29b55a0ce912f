"""Trials with a key: of Kaldi and BOSARIS, joined by the pair, or of VoxCeleb, line by line.

    model segment score     beside    model segment target|nontarget     (trials)
    score                   beside    0|1 model segment                  (voxceleb)

The model is the reference and the segment the probe. Where subjects are known, a table of sample and subject stands
beside them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mated.errors import MatedError
from mated.io.flags import MATED_WORDS, NONMATED_WORDS
from mated.io.keys import names_pair
from mated.io.writers.columns import flags_of, score_texts, scores_of, unit_note
from mated.io.writers.lines import labels_of, losses, orientation_option, write_ids, write_lines
from mated.io.writers.names import samples_of, subjects_of
from mated.io.writers.output import Written, beside, options

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.io.writers.output import Output
    from mated.scores import Comparisons, PairIds

__all__ = ["write_trials"]


def write_trials(comparisons: Comparisons, output: Output, kind: Literal["trials", "voxceleb"]) -> Written:
    """Write scores.txt with scores_key.txt, and scores_ids.csv where subjects are known; a failure is NaN."""
    where = str(output.path)
    samples, subjects = samples_of(comparisons), subjects_of(comparisons)
    if samples is None:
        raise MatedError(f"{where}: trials name samples, and these comparisons name none; use --to bob2")
    labels = labels_of(samples, where, "sample")
    models, segments = labels[samples.reference], labels[samples.probe]
    _check_readable(models, segments, where, kind)
    scores, mated = score_texts(scores_of(comparisons)), flags_of(comparisons)
    if kind == "trials":
        _refuse_repeated(samples, where)
        lines: list[Any] = [models, segments, scores]
        key = [models, segments, np.where(mated, "target", "nontarget").astype(object)]
    else:
        lines = [scores]
        key = [np.where(mated, "1", "0").astype(object), models, segments]
    paths = [output.path, beside(output.path, "key")]
    reading = options(("--key", paths[1:]))
    if subjects is not None:
        paths.append(beside(output.path, "ids", ".csv"))
        reading += " " + options(("--ids", paths[2:]))
    with output.files(*paths) as temporary:
        write_lines(temporary[0], lines)
        write_lines(temporary[1], key)
        if subjects is not None:
            owner = subjects_by_sample(samples, subjects)
            used = np.unique(np.concatenate([samples.probe, samples.reference]))
            write_ids(temporary[2], labels[used].tolist(), [subjects.names[code] for code in owner[used].tolist()])
    notes = (*losses(comparisons, "a list of trials"), *unit_note(comparisons.unit))
    return Written(tuple(paths), len(scores), notes, reading + orientation_option(comparisons))


def subjects_by_sample(samples: PairIds, subjects: PairIds) -> NDArray[np.int64]:
    """Return the code of the subject of each sample, by the sample's code."""
    owner = np.zeros(len(samples.names), dtype=np.int64)
    for side in ("probe", "reference"):
        owner[getattr(samples, side)] = getattr(subjects, side)
    return owner


def _check_readable(models: NDArray[Any], segments: NDArray[Any], where: str, kind: str) -> None:
    """Refuse names that a key would take for its header or for flags."""
    if names_pair([models[0], segments[0]]):
        raise MatedError(f"{where}: the names of the first pair of samples would be taken for a header; rename them")
    if kind == "voxceleb" and {name.lower() for name in set(segments)} <= {*MATED_WORDS, *NONMATED_WORDS}:
        raise MatedError(f"{where}: the names of the probes would be taken for flags; rename them, or use --to trials")


def _refuse_repeated(samples: PairIds, where: str) -> None:
    pairs = samples.probe * len(samples.names) + samples.reference
    if repeated := len(pairs) - len(np.unique(pairs)):
        raise MatedError(
            f"{where}: {repeated} comparisons repeat a pair of samples, and trials are joined with their key by the "
            "pair; write them line by line (--to voxceleb) or as a table"
        )
