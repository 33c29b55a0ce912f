"""The JSON of the dasec scripts: scores of one class by pair of samples."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.io.writers.columns import unit_note, widened
from mated.io.writers.lines import losses
from mated.io.writers.names import named
from mated.io.writers.output import Written

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.io.writers.output import Output
    from mated.scores import Comparisons

__all__ = ["write_dasec"]


def write_dasec(comparisons: Comparisons, output: Output) -> Written:
    """Write `similarity_scores`, without qualities; failures are left out."""
    where, samples = str(output.path), comparisons.samples
    if samples is None:
        raise MatedError(f"{where}: this JSON names samples, and these comparisons name none; write another format")
    mated = comparisons.mated
    if mated.any() and not mated.all():
        chosen = "mated" if comparisons.subjects is None else "'probe_subject = reference_subject'"
        raise MatedError(
            f"{where}: this JSON holds comparisons of one class, and these are {np.count_nonzero(mated)} mated and "
            f"{np.count_nonzero(~mated)} non-mated ones; choose one class, for instance with --where {chosen}"
        )
    if not np.isfinite(comparisons.score).all():
        raise MatedError(f"{where}: JSON has no infinite numbers; remove such comparisons, or write another format")
    names = [named(samples, codes) for codes in (samples.probe, samples.reference)]
    if any("-" in name for name in {*names[0], *names[1]}):
        raise MatedError(
            f"{where}: a sample has a hyphen in its name, and this JSON names a pair by two samples with a hyphen "
            "between them; rename it, or write another format"
        )
    pairs = [f"{probe}-{reference}" for probe, reference in zip(*names, strict=True)]
    if len(set(pairs)) < len(pairs):
        raise MatedError(
            f"{where}: {len(pairs) - len(set(pairs))} comparisons repeat a pair of samples, and this JSON holds a pair "
            "once; write another format"
        )
    score = -comparisons.score if comparisons.dissimilarity else comparisons.score
    block = {
        "type": "mated" if mated.all() else "nonmated",
        "scores_by_pair_ids": dict(zip(pairs, _numbers(score), strict=True)),
    }
    with output.files(output.path) as (temporary,):
        content = {"similarity_scores": block, "quality_scores_by_sample_id_per_algorithm": {}}
        temporary.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")
    notes = list(losses(comparisons, "this JSON", subjects=True))
    if failures := len(comparisons.failed_mated):
        notes.append(f"{failures} comparisons without a score are left out, as JSON has no NaN")
    notes.append("qualities of the samples are not part of the comparisons; the dasec scripts expect them beside")
    reading = "--dissimilarity" if comparisons.dissimilarity else ""
    return Written((output.path,), len(pairs), (*notes, *unit_note(comparisons.unit)), reading)


def _numbers(score: NDArray[Any]) -> list[Any]:
    score = widened(score)
    if score.dtype == np.float32:
        return [float(str(value)) for value in score]
    numbers: list[Any] = score.tolist()
    return numbers
