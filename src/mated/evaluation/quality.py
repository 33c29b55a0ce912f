"""The verb `quality`: comparisons and qualities of their samples in, a `QualityEvaluation` out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mated.errors import MatedError
from mated.evaluation.quality_evaluation import QualityEvaluation
from mated.evaluation.quality_settings import CurveType, QualitySettings
from mated.evaluation.quality_sources import pair_qualities_from
from mated.evaluation.verify import bare_name, layout_of
from mated.io import Columns
from mated.io.quality_files import is_quality_file
from mated.quality.pairing import PairQualities
from mated.scores import ScoreMatrix
from mated.uncertainty.binomial import check_level
from mated.uncertainty.streams import seed_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np

    from mated.io.quality_files import QualityColumns
    from mated.quality.curve import Interpolation
    from mated.quality.det_by_discard import Division
    from mated.quality.edc import Among
    from mated.quality.fixed_counterpart import Fixed
    from mated.quality.other_curves import DPrime
    from mated.quality.pairing import PairFunction
    from mated.scores import Comparisons
    from mated.scores.discard_order import Axis
    from mated.scores.validation import NanPolicy
    from mated.uncertainty.quality_units import Resample

__all__ = ["quality"]


def quality(
    scores: Any,
    quality: Any = None,
    *,
    pair_columns: str | Iterable[str] = (),
    starting_error: float = 0.05,
    threshold: float | None = None,
    limit: float = 0.2,
    type: CurveType = "fnm",  # noqa: A002 - the word a user looks for
    pair: PairFunction = "minimum",
    among: Among = "kept",
    interpolation: Interpolation = "step",
    axis: Axis = "comparisons",
    of: Literal["mated", "nonmated"] = "mated",
    fixed: Fixed = "fmr",
    rate: float = 0.01,
    d_prime: DPrime = "schlett2023",
    fractions: Iterable[float] = (0.0, 0.05, 0.1, 0.2),
    division: Division = "discard",
    replicates: int = 1000,
    rng: int | np.random.Generator | None = 1,
    level: float = 0.95,
    refind: bool = True,
    resample: Resample = "auto",
    threads: int = 1,
    curves: bool = False,
    stability: bool = False,
    scalars: bool = False,
    columns: Columns | None = None,
    quality_columns: QualityColumns | None = None,
    dissimilarity: bool | None = None,
    unit: object = "auto",
    nan: NanPolicy = "refuse",
    name: str | None = None,
) -> QualityEvaluation:
    """Measure which quality algorithm tells best which comparisons will go wrong, and how sure that is.

    Parameters
    ----------
    scores
        Comparisons with their samples: a layout, a path, any data frame; or `PairQualities`, which need nothing else.
    quality
        Qualities of the samples, one source or a list of them: a path, a data frame with a column of samples and one an
        algorithm (or columns of sample, algorithm and quality), a mapping from algorithm to a mapping from sample to
        quality. Not needed where the scores come from a dasec JSON, which holds both.
    pair_columns
        In place of `quality`: further columns of the comparison table that hold qualities of pairs.
    starting_error, threshold
        The error rate at which an error curve begins (the nearest the data allow), or the threshold.
    limit
        The discard fraction up to which the area goes.
    type
        "fnm" and "fm" for error curves of mated and non-mated comparisons, "cs" for the mean score, "dprime", "fc" for
        one error rate with the other held, "det" for DET curves.
    pair
        How two sample qualities become that of a pair; the minimum is the same as discarding samples.
    among, interpolation, axis
        Errors among those kept or over all; stepwise or linear; fractions of comparisons or of samples.
    of, fixed, rate, d_prime, fractions, division
        Of the curves "cs", "fc" (`fixed` and `rate`), "dprime" and "det" (`fractions` and `division`).
    replicates, rng, level
        Bootstrap replicates (0 for no intervals), their seed, and the confidence level.
    refind
        Whether each replicate finds the threshold of the starting error anew.
    resample
        Subjects where they are known ("auto"), else people known by their samples, else comparisons.
    curves, stability, scalars
        Whether the dictionary holds them too.
    columns, dissimilarity, unit, nan
        How to read the scores; see `mated.read`.
    quality_columns
        Which columns of the tables of qualities to read.

    Examples
    --------
    >>> import mated
    >>> from mated.synthetic.quality import draw_qualities
    >>> drawn = draw_qualities((0.1, 0.5), subjects=60, samples=4, rng=1)
    >>> found = mated.quality(
    ...     drawn.comparisons(),
    ...     {name: dict(zip(drawn.sample_names, q)) for name, q in drawn.quality.items()},
    ... )
    >>> found.ranking, found.results[0].against_random
    (('SQA1 (0.10)', 'SQA2 (0.50)'), 'better')
    """
    check_level(level)
    if replicates and replicates < 2:
        raise MatedError(f"at least 2 bootstrap replicates are needed for a spread, not {replicates}")
    settings = QualitySettings(
        type=type,
        starting_error=starting_error,
        threshold=threshold,
        limit=limit,
        among=among,
        interpolation=interpolation,
        axis=axis,
        of=of,
        fixed=fixed,
        rate=rate,
        d_prime=d_prime,
        fractions=tuple(fractions),
        division=division,
        refind=refind,
        resample=resample,
        curves=curves,
        stability=stability,
        scalars=scalars,
    )
    if isinstance(scores, PairQualities):
        if quality is not None or pair_columns:
            raise MatedError("pair qualities are given with the comparisons already; leave other qualities out")
        pairs, notes = scores, tuple[str, ...]()
    else:
        layout = layout_of(scores, None, columns=columns or Columns(), dissimilarity=dissimilarity, unit=unit, nan=nan)
        comparisons = layout.comparisons() if isinstance(layout, ScoreMatrix) else layout
        named = (pair_columns,) if isinstance(pair_columns, str) else tuple(pair_columns)
        if quality is None and not named and is_quality_file(scores):
            quality = scores
        pairs, notes = pair_qualities_from(
            _needed(comparisons, settings), quality, pair_columns=named, columns=quality_columns, pair=pair
        )
    return QualityEvaluation(
        pairs,
        settings,
        name=name or (bare_name(scores) if isinstance(scores, str | Path) else "scores"),
        level=level,
        replicates=0 if type == "det" else replicates,
        seed=seed_of(rng),
        threads=threads,
        notes=notes,
    )


def _needed(comparisons: Comparisons, settings: QualitySettings) -> Comparisons:
    """Keep the comparisons of the class that the curve is of; scalar measures read both.

    Where subjects are not named, mated comparisons say which samples are of one person and are kept too.
    """
    unnamed = not settings.mated and comparisons.subjects is None and comparisons.samples is not None
    if settings.mated is None or settings.scalars:
        return comparisons
    rows = comparisons.mated if settings.mated else ~comparisons.mated
    if not rows.any():
        raise MatedError(
            f"there is no {'mated' if settings.mated else 'non-mated'} comparison, and the curve {settings.type!r} is "
            "of these alone"
        )
    return comparisons if unnamed or rows.all() else comparisons.take(rows)
