"""The verb `identify`: anything that says who was searched for among whom in, an `Identification` out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mated.errors import MatedError
from mated.evaluation.identification import Identification, SearchPoints
from mated.evaluation.verify import bare_name, layout_of, several
from mated.io import Columns
from mated.scores.ranks import Ranks
from mated.uncertainty.binomial import check_level
from mated.uncertainty.streams import seed_of
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np

    from mated.identification.cmc import Ties
    from mated.identification.open_set import UnmatedProbes
    from mated.scores.validation import NanPolicy

__all__ = ["identify"]


def identify(
    scores: Any,
    *,
    ranks: int | Iterable[int] | None = None,
    fpir: float | Iterable[float] | None = None,
    threshold: float | Iterable[float] | None = None,
    length: int | None = 1,
    ties: Ties = "expected",
    probes: UnmatedProbes = "open",
    symmetric: Literal["auto", "yes", "no"] = "auto",
    level: float = 0.95,
    replicates: int = 2000,
    rng: int | np.random.Generator | None = 1,
    columns: Columns | None = None,
    dissimilarity: bool | None = None,
    unit: object = "auto",
    nan: NanPolicy = "refuse",
    name: str | None = None,
) -> Identification:
    """Measure how well a system finds people in a gallery.

    Parameters
    ----------
    scores
        Searches: a layout (`Comparisons` with samples or `ScoreMatrix`), `Ranks`, a path, any data frame. Each probe
        sample is searched for among the reference subjects; a subject with several references scores as its best.
    ranks
        Ranks to read the CMC at; by default 1, 5, 10 and 20.
    fpir, threshold
        Where to read the open-set errors off; `fpir` defaults to the powers of ten that the open-set probes support.
    length
        Candidates looked at for FNIR; None for no limit.
    ties
        Where a mate stands among identities of equal score: "expected" (the mean over a random order, exactly),
        "pessimistic" or "optimistic" (Bolle et al. 2005).
    probes
        Who searches without a mate: "open" for probes that are not enrolled, "mate removed" for the mated
        probes with their mate left out, where there are no others.
    symmetric
        Whether a table lists each pair of samples once, so that each is a probe and a reference in turn.
    level, replicates, rng
        Confidence level; bootstrap replicates for FNIR at FPIR (0 for no interval) and their seed.
    columns, dissimilarity, unit, nan
        How to read the input; see `mated.read`.

    Examples
    --------
    >>> import mated
    >>> from mated.synthetic import GaussianIdentities
    >>> people = GaussianIdentities().draw(40, 3, rng=1)
    >>> found = mated.identify(people.matrix("llr"))
    >>> found.ranks.n_mated, found.ranks.gallery_size
    (120, 40)
    """
    check_level(level)
    if replicates and replicates < 2:
        raise MatedError(f"a bootstrap needs two replicates or more, and {replicates} are asked for")
    if symmetric not in ("auto", "yes", "no"):
        raise MatedError(f"symmetric must be 'auto', 'yes' or 'no', not {symmetric!r}")
    rates = None if fpir is None else several(fpir)
    for rate in rates or ():
        exact_rate(rate, "a false positive identification rate")
    points = SearchPoints(
        None if ranks is None else _whole(ranks),
        rates,
        several(threshold),
        length,
    )
    if isinstance(scores, Ranks):
        found = scores
    else:
        layout = layout_of(scores, None, columns=columns or Columns(), dissimilarity=dissimilarity, unit=unit, nan=nan)
        from mated.scores.ranking import rank

        found = rank(layout, symmetric=symmetric)
    return Identification(
        found,
        name=name or (bare_name(scores) if isinstance(scores, str | Path) else "scores"),
        points=points,
        ties=ties,
        probes=probes,
        level=level,
        replicates=replicates,
        seed=seed_of(rng),
    )


def _whole(ranks: int | Iterable[int]) -> tuple[int, ...]:
    given = several(ranks)
    for value in given:
        if value != int(value) or value < 1:
            raise MatedError(f"ranks are whole numbers from 1 on, and {value:g} is none")
    return tuple(int(value) for value in given)
