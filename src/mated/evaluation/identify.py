"""The verb `identify`: anything that says who was searched for among whom in, an `Identification` out."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mated.errors import MatedError
from mated.evaluation.identification import Identification, SearchPoints
from mated.evaluation.streaming_choice import in_chunks, refuse_held
from mated.evaluation.verify import bare_name, layout_of, several
from mated.io import Columns
from mated.scores import Comparisons, ScoreMatrix
from mated.scores.ranks import Ranks
from mated.uncertainty.binomial import check_level
from mated.uncertainty.streams import seed_of
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np

    from mated.engine import Runner
    from mated.engine.stream import Progress
    from mated.identification.cmc import Ties
    from mated.identification.open_set import UnmatedProbes
    from mated.io.request import Header
    from mated.io.scanning import Scan
    from mated.scores.subject_tallies import Symmetry
    from mated.scores.validation import NanPolicy

__all__ = ["identify", "rank_scan", "searches_to_stream"]


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
    format: str = "auto",  # noqa: A002 - as in `read`
    header: Header = "auto",
    where: str | None = None,
    key: str | Path | None = None,
    mask: str | Path | None = None,
    failure_score: float | None = None,
    stream: bool | None = None,
    engine: Literal["local", "dask"] = "local",
    scheduler: Any = None,
    progress: Progress | None = None,
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
    columns, dissimilarity, unit, nan, format, header, where, key, mask, failure_score
        How to read the input; see `mated.read`.
    stream
        Whether comparisons are read in chunks, as often as needed, and never held. None: lazy frames, and tables too
        large to hold (`mated.io.scanning.is_large`). They name their subjects then. All numbers are the same.
    engine, scheduler
        Read in chunks here ("local") or on a Dask cluster ("dask"): its address or client, without one a cluster of
        processes on this machine.
    progress
        Called with the number of the pass, the comparisons done, and how many there are where that is known.
    name
        What to call the system; by default the file's name.

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
    reading: dict[str, Any] = {
        "columns": columns or Columns(),
        "dissimilarity": dissimilarity,
        "unit": unit,
        "nan": nan,
        "format": format,
        "header": header,
        "where": where,
        "key": key,
        "mask": mask,
        "failure_score": failure_score,
    }
    stream = in_chunks(stream, engine=engine, scheduler=scheduler)
    scan = None
    if not isinstance(scores, Ranks | Comparisons | ScoreMatrix):
        scan = searches_to_stream(scores, stream=stream, divided=engine != "local", **reading)
    else:
        refuse_held(stream)
    if isinstance(scores, Ranks):
        found = scores
    elif scan is not None:
        from mated.evaluation.streaming_choice import runner_of

        with runner_of(engine, scheduler) or nullcontext() as runner:
            found = rank_scan(scan, symmetric=symmetric, runner=runner, progress=progress)
    else:
        from mated.scores.ranking import rank

        found = rank(layout_of(scores, None, **reading), symmetric=symmetric)
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


def searches_to_stream(source: Any, *, stream: bool | None, **options: Any) -> Scan | None:
    """Return a scan of comparisons that are to be read in chunks, None of those that are to be held.

    A table that does not name its subjects is held unless it is said to be streamed, since identities are then told by
    the mated comparisons of all of it.
    """
    from mated.evaluation.streaming_choice import scan_to_stream

    scan = scan_to_stream(source, stream=stream, **options)
    if scan is None or stream or scan.lazy or {"probe_subject", "reference_subject"} <= scan.knows:
        return scan
    return None


def rank_scan(
    scan: Scan, *, symmetric: Symmetry = "auto", runner: Runner | None = None, progress: Progress | None = None
) -> Ranks:
    """Rank the mates of all probes of a scan, in passes over its comparisons."""
    from mated.engine.rank_chunks import stream_ranks
    from mated.evaluation.streaming_sources import scoring_of

    found = stream_ranks(
        scan.parts,
        scoring=scoring_of(scan),
        symmetric=symmetric,
        knows=scan.knows,
        notes=scan.notes,
        runner=runner,
        progress=progress,
    )
    said = "the comparisons were read in chunks; every number is that of all comparisons in memory"
    return replace(found, notes=(*found.notes, said))


def _whole(ranks: int | Iterable[int]) -> tuple[int, ...]:
    given = several(ranks)
    for value in given:
        if value != int(value) or value < 1:
            raise MatedError(f"ranks are whole numbers from 1 on, and {value:g} is none")
    return tuple(int(value) for value in given)
