"""The verb `predict`: verification scores in, identification on a gallery of another size out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from mated.errors import MatedError
from mated.evaluation.predict_open_set import with_open_set, within
from mated.evaluation.prediction import GalleryPrediction, Method, Prediction
from mated.evaluation.verification import Verification
from mated.evaluation.verify import bare_name, several, verify
from mated.scores import Comparisons
from mated.uncertainty.binomial import FEW, check_level, clopper_pearson
from mated.uncertainty.cautions import joined
from mated.uncertainty.replicates import Replicates
from mated.uncertainty.streams import seed_of
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.identification.individual_rates import EmpiricalRates
    from mated.identification.resolution import Resolution
    from mated.identification.tail import TailModel
    from mated.scores.probe_scores import ProbeScores
    from mated.scores.searches import Layout
    from mated.scores.subject_tallies import Symmetry

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["Predicting", "predict"]

Progress: TypeAlias = Callable[[int, int], None]

_USUAL_RANKS = (1, 5, 10, 20)
_LARGEST_GALLERY = 10**12
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_GLOBAL = ("global", "bolle", "narrow")
_RESAMPLED_AS: dict[Method, Method] = {"hypergeometric": "step", "individual": "average"}


def predict(
    scores: Any,
    nonmated: Any = None,
    *,
    gallery: float | Iterable[float],
    ranks: int | Iterable[int] | None = None,
    method: Method = "auto",
    fpir: float | Iterable[float] | None = None,
    threshold: float | Iterable[float] | None = None,
    length: int | None = 1,
    replicates: int = 200,
    rng: int | np.random.Generator | None = 1,
    level: float = 0.95,
    symmetric: Literal["auto", "yes", "no"] = "auto",
    name: str | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> Prediction:
    """Predict how well people are found in a gallery of another size.

    Parameters
    ----------
    scores, nonmated
        What `mated.verify` takes, or a `Verification`; with subjects, or only the global methods are possible.
    gallery
        Identities enrolled, the person searched for among them: one number or several, from 2 to 10^12.
    ranks
        Ranks to predict the CMC at; by default 1, 5, 10 and 20 as far as the smallest gallery goes.
    method
        "auto" takes galleries drawn from the data where they are large enough, each subject's own false match rates
        up to what they resolve, and the tail model beyond. Or one of "hypergeometric", "step", "average", "individual",
        "tail", "global", "bolle", "narrow"; see docs/explanation/identification.md.
    fpir, threshold, length
        Where to predict the open-set errors: false positive identification rates, thresholds, and the length of the
        candidate list (None for no limit).
    replicates, rng, level
        Draws of subjects for the intervals (0 for none), their seed, and the confidence level.
    reading
        How to read the input; see `mated.read`.

    Examples
    --------
    >>> import mated
    >>> from mated.synthetic import GaussianIdentities
    >>> people = GaussianIdentities().draw(60, 4, rng=1)
    >>> small = mated.predict(people.matrix("llr"), gallery=20, ranks=1, replicates=0)
    >>> small.galleries[0].method
    'hypergeometric'
    """
    check_level(level)
    if method not in get_args(Method):
        raise MatedError(f"there is no method {method!r}; the methods are: {', '.join(get_args(Method))}")
    if replicates and replicates < 2:
        raise MatedError(f"a bootstrap needs two replicates or more, and {replicates} are asked for")
    sizes = _sizes(gallery)
    asked = _ranks(ranks, sizes)
    rates = several(fpir)
    for rate in rates:
        exact_rate(rate, "a false positive identification rate")
    if length is not None and not 1 <= length <= min(sizes):
        raise MatedError(f"a candidate list has from 1 to {min(sizes)} entries, and {length} are asked for")
    v = scores if isinstance(scores, Verification) else verify(scores, nonmated, symmetric=symmetric, **reading)
    called = name or (bare_name(scores) if isinstance(scores, str | Path) else v.name)
    known = v.n_subjects is not None
    if not known and method not in ("auto", *_GLOBAL):
        raise MatedError(
            f"{called}: the method {method!r} needs to know who was compared: give probe_subject and "
            "reference_subject, or predict from the global ROC (--method global)"
        )
    if not known and (rates or several(threshold)):
        raise MatedError(f"{called}: open-set predictions need to know who was compared")
    made = Predicting(v, asked, length, replicates, seed_of(rng), level, progress)
    galleries = made.all(sizes, method if known or method != "auto" else "global")
    if rates or several(threshold):
        galleries = with_open_set(made, galleries, rates, several(threshold))
    return Prediction(
        name=called,
        galleries=galleries,
        resolution=made.resolution if known else None,
        subjects=v.n_subjects,
        level=level,
        replicates=replicates,
        seed=made.seed,
        remarks=v.remarks,
    )


def _sizes(gallery: float | Iterable[float]) -> tuple[int, ...]:
    given = several(gallery)
    if not given:
        raise MatedError("give the size of at least one gallery")
    for size in given:
        if size != int(size) or not 2 <= size <= _LARGEST_GALLERY:
            raise MatedError(f"a gallery holds from 2 to 10^12 identities, a whole number, and {size:g} is none")
    return tuple(sorted({int(size) for size in given}))


def _ranks(ranks: int | Iterable[int] | None, sizes: tuple[int, ...]) -> tuple[int, ...]:
    if ranks is None:
        return tuple(rank for rank in _USUAL_RANKS if rank <= sizes[0])
    given = several(ranks)
    for rank in given:
        if rank != int(rank) or not 1 <= rank <= sizes[0]:
            raise MatedError(
                f"ranks are whole numbers from 1 to the smallest gallery, {sizes[0]}, and {rank:g} is none"
            )
    return tuple(sorted({int(rank) for rank in given}))


@dataclass(frozen=True, eq=False)
class Predicting:
    """One set of scores with everything that several galleries share, each part made when it is first needed."""

    v: Verification
    ranks: tuple[int, ...]
    length: int | None
    replicates: int
    seed: int
    level: float
    progress: Progress | None

    @property
    def layout(self) -> Layout:
        """The comparisons."""
        assert self.v.layout is not None
        return self.v.layout

    @cached_property
    def probes(self) -> ProbeScores:
        """What the tail model is fitted to."""
        from mated.scores.probe_scores import ProbeScores

        return ProbeScores.of(self.layout, symmetric=self.symmetric)

    @cached_property
    def symmetric(self) -> Symmetry:
        """Whether comparisons are read in both directions, found out once for all that ask."""
        from mated.scores.subject_tallies import lists_pairs_once

        if self.v.symmetric != "auto" or not isinstance(self.layout, Comparisons):
            return self.v.symmetric
        return "yes" if lists_pairs_once(self.layout) else "no"

    @cached_property
    def own_rates(self) -> EmpiricalRates:
        """The false match rates of each probe by its own scores."""
        from mated.identification.individual_rates import EmpiricalRates

        return EmpiricalRates.of(self.layout, symmetric=self.symmetric)

    @cached_property
    def has_tail(self) -> bool:
        """Whether the scores are enough to describe their tail; galleries drawn from the data do not need it."""
        try:
            _ = self.tail
        except MatedError:
            return False
        return True

    @cached_property
    def resolution(self) -> Resolution:
        """What one subject's scores resolve."""
        from mated.identification.resolution import Resolution, resolution

        if self.has_tail:
            return resolution(self.probes)
        totals = self.v.subject_pairs.totals
        first, second, _ = totals.entries
        rivals = np.bincount(np.concatenate([first, second]), minlength=totals.n_subjects)
        scores = max(int(np.median(totals.of_subject)), 1)
        return Resolution(int(np.median(rivals)), int(rivals.min()), scores)

    @cached_property
    def tail(self) -> TailModel:
        """The tail model of the data themselves."""
        from mated.identification.tail import fit_tail_model

        return fit_tail_model(self.probes)

    def all(self, sizes: tuple[int, ...], method: Method) -> tuple[GalleryPrediction, ...]:
        """Predict galleries; those whose replicates are of one kind together, so that they are drawn once."""
        from mated.identification.resolution import headline

        chosen: dict[int, Method] = {
            size: headline(size, self.resolution) if method == "auto" else method for size in sizes
        }
        rates = {size: self._point(size, chosen[size]) for size in sizes}
        drawn: dict[int, Floats | None] = dict.fromkeys(sizes)
        kinds = {size: _RESAMPLED_AS.get(chosen[size], chosen[size]) for size in sizes}
        for kind in dict.fromkeys(kinds.values()) if self.replicates else ():
            alike = tuple(size for size in sizes if kinds[size] == kind)
            drawn |= self._replicates(kind, alike, rates)
        return tuple(self._result(size, chosen[size], rates[size], drawn[size]) for size in sizes)

    def _result(self, size: int, method: Method, rate: Floats, drawn: Floats | None) -> GalleryPrediction:
        columns = None if drawn is None else [Replicates(drawn[:, k], float(rate[k])) for k in range(len(rate))]
        ends = None if columns is None else [self._interval(method, c) for c in columns]
        return GalleryPrediction(
            gallery_size=size,
            method=method,
            ranks=self.ranks,
            rate=tuple(rate.tolist()),
            se=None if columns is None else tuple(float(c.standard_error) for c in columns),
            low=None if ends is None else tuple(within(e[0], r) for e, r in zip(ends, rate, strict=True)),
            high=None if ends is None else tuple(within(e[1], r, upper=True) for e, r in zip(ends, rate, strict=True)),
            beside=self._beside(size, method),
            individual=self._individual(size) if method == "individual" else None,
            caution=self._caution(size, method),
        )

    def _interval(self, method: Method, drawn: Replicates) -> tuple[float, float]:
        """Return the percentiles, around the estimate unless it is a tail forecast.

        A replicate holds fewer different rivals than the data and so finds mates too easily: its spread is right where
        its centre is not. The replicates of a tail forecast carry the model's own error.
        """
        low, high = drawn.percentile_interval(self.level)
        if method == "tail":
            return low, high
        shift = drawn.estimate - float(drawn.values.mean())
        low, high = low + shift, high + shift
        # With few misses in effect replicates hardly vary; as many trials as their spread is worth do.
        value, se = drawn.estimate, drawn.standard_error
        subjects, comparisons = self.v.n_subjects or 2, max(self.v.tally.n_mated, 2)
        worth = value * (1 - value) / se**2 if se else float(comparisons)
        trials = min(max(worth, subjects), comparisons)
        if min(value, 1 - value) * trials < FEW:
            exact = clopper_pearson(value * trials, trials, self.level)
            low, high = min(low, exact[0]), max(high, exact[1])
        return low, high

    def _point(self, size: int, method: Method) -> Floats:
        from mated.identification.roc_to_cmc import cmc_of_roc
        from mated.identification.step import hypergeometric_cmc, step_cmc
        from mated.identification.tail import tail_cmc
        from mated.uncertainty.global_forecast import global_cmc

        if method == "global" or method == "bolle" or method == "narrow":
            return global_cmc(self.v.tally, method, size, self.ranks)
        if method in ("average", "individual"):
            return cmc_of_roc(self.v.average_roc, size, self.ranks)
        if method == "step":
            return step_cmc(self.v.subject_tallies, size, self.ranks)
        if method == "hypergeometric":
            if size > self.resolution.fewest_rivals + 1:
                raise MatedError(
                    f"a gallery of {size} cannot be drawn from the data, where some subject has "
                    f"{self.resolution.fewest_rivals} rivals; use the method 'step', 'average' or 'tail'"
                )
            return hypergeometric_cmc(self.v.subject_tallies, size, self.ranks)
        tail: Floats = tail_cmc(self.tail, [size], self.ranks)[0]
        return tail

    def _replicates(self, method: Method, sizes: tuple[int, ...], rates: dict[int, Floats]) -> dict[int, Floats | None]:
        """Draw subjects and predict anew: replicates × ranks for each gallery; None where subjects are not known."""
        from mated.uncertainty.forecast import forecast_cmc, forecast_cmc_empirically
        from mated.uncertainty.global_forecast import draw_global_cmc

        drawing: dict[str, Any] = {"replicates": self.replicates, "progress": self.progress}
        if method == "global" or method == "bolle" or method == "narrow":
            if self.v.n_subjects is None:
                return dict.fromkeys(sizes)
            pairs, asked = self.v.subject_pairs, [self.ranks] * len(sizes)
            values = draw_global_cmc(pairs, method, sizes, asked, seed=self.seed, **drawing)
            return {size: part[~np.isnan(part).any(axis=1)] for size, part in zip(sizes, values, strict=True)}
        if method == "tail":
            forecast = forecast_cmc(self.probes, sizes, self.ranks, rng=self.seed, **drawing)
            return {size: forecast.replicates[:, k] for k, size in enumerate(sizes)}
        forecast = forecast_cmc_empirically(
            self.layout,
            sizes,
            self.ranks,
            estimator="average" if method == "average" else "step",
            symmetric=self.symmetric,
            rng=self.seed,
            **drawing,
        )
        # Galleries drawn from the data vary with the subjects as the step estimator does, around their own value.
        return {size: forecast.replicates[:, k] + (rates[size] - forecast.rate[k]) for k, size in enumerate(sizes)}

    def _caution(self, size: int, method: Method) -> str | None:
        from mated.identification.resolution import forecast_caution
        from mated.uncertainty.cautions import on_dependence

        subjects = self.v.n_subjects
        if method in _GLOBAL:
            unknown = "subjects are not known, so people are taken as alike and there is no interval"
            return joined(
                unknown if subjects is None else None,
                "it is right only where all people have the same false match rate at every threshold",
                f"{self.v.tally.n_nonmated} non-mated comparisons do not resolve such a gallery"
                if size > self.v.tally.n_nonmated
                else None,
            )
        beyond = self.tail.beyond if method == "tail" else 0.0
        pooled = self.probes.n_nonmated if self.has_tail else self.v.tally.n_nonmated
        return joined(
            forecast_caution(size, self.resolution, pooled=pooled, beyond=beyond),
            on_dependence(subjects, resampled=True),
        )

    def _beside(self, size: int, method: Method) -> dict[str, tuple[float, ...]]:
        """Return what the other methods say, without intervals."""
        others: tuple[Method, ...] = ("global", "bolle", "narrow")
        if self.v.n_subjects is not None:
            others = ("average", "step", *(("tail",) if self.has_tail else ()), *others)
        return {name: tuple(self._point(size, name).tolist()) for name in others if name != method}

    def _individual(self, size: int) -> dict[str, tuple[float, ...]]:
        from mated.identification.roc_to_cmc import cmc_of_rocs

        rates = cmc_of_rocs(self.v.individual_rocs, size, self.ranks)
        quantiles = np.quantile(rates, _QUANTILES, axis=0)
        return {f"{100 * q:g} %": tuple(row.tolist()) for q, row in zip(_QUANTILES, quantiles, strict=True)}
