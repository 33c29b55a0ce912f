"""Stand-ins for the fingerprint scores of Bolle et al. (2005), and one data set of them measured and predicted.

The same people of the Gaussian identity model are scored in three ways that differ in how far people have score
distributions of their own, since Eq. 16 of the paper assumes that they have not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from mated.identification.bolle import narrow_cmc, theoretical_cmc, theoretical_rank_probabilities
from mated.identification.cmc import cmc
from mated.identification.expectation import expected_cmc
from mated.identification.normalisation import normalise
from mated.identification.step import step_cmc
from mated.scores import ScoreMatrix, SubjectTallies
from mated.scores.ranking import rank
from mated.synthetic import GaussianIdentities, cosine, log_likelihood_ratio
from mated.uncertainty.streams import block_generator
from mated.verification.separation import area_under_roc

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from mated.identification.normalisation import Normalisation
    from mated.scores import Tally

    Floats: TypeAlias = NDArray[np.float64]

__all__ = [
    "BETWEEN",
    "CLEARNESS",
    "GALLERY",
    "MODELS",
    "SAMPLES",
    "SEARCHES",
    "Measured",
    "Model",
    "Pairs",
    "draw_scores",
    "measure",
]

GALLERY, SAMPLES = 200, 8
"""People, each with one reference in the gallery, and samples of each; all but the reference are probes."""

Model: TypeAlias = Literal["alike", "calibrated", "clear"]

MODELS: dict[Model, str] = {
    "alike": "cosine",
    "calibrated": "log-likelihood ratio",
    "clear": "cosine, some people clearer",
}
"""The stand-ins and what a table calls them."""

SEARCHES: dict[Normalisation | None, str] = {
    None: "sort the scores",
    "probe": "normalise per probe, then sort",
    "reference": "normalise per reference, then sort",
}
"""The searches of their section 7 and what a table calls them."""

BETWEEN = (0.5, 0.8, 0.85, 0.9) * 3
"""Between-person variances: those of Veldhuis & Raja (2023) three times, for a comparator of use in 200 people."""

CLEARNESS = 0.05
"""Standard deviation of the logarithm of the factor by which the scores of a clear person are higher."""

_SAME = 1e-12


@dataclass(frozen=True)
class Pairs:
    """The gallery of two (Eqs. 10 and 11): four ways to the probability of rank 1, and that of rank 2.

    Attributes
    ----------
    by_mated, by_nonmated
        ∫ f(x)[1 − FAR(x)] dx and ∫ g(y)[1 − FRR(y)] dy, both integrals of Eq. 10, over the scores; equal scores half.
    predicted, second
        P(1) and P(2) by Eq. 14.
    area
        The area under the ROC.
    measured
        The rank-1 rate of galleries of two in the data, the mean over all of them.
    """

    by_mated: float
    by_nonmated: float
    predicted: float
    second: float
    area: float
    measured: float

    @property
    def agree(self) -> bool:
        """Whether the integrals, Eq. 14 and the area are the same number, and P(2) the rest."""
        same = (self.by_nonmated, self.predicted, self.area, 1 - self.second)
        return all(abs(value - self.by_mated) <= _SAME for value in same)


@dataclass(frozen=True, eq=False)
class Measured:
    """One data set: CMCs at ranks 1 to the gallery's size.

    Attributes
    ----------
    empirical, theoretical, narrow
        Measured, by Eq. 16 and by Eq. 17.
    average
        The same law as Eq. 16 with each person's own false match rates (`step_cmc`).
    searches, own_theory
        For each search, the measured CMC, and Eq. 16 from the scores it sorts by.
    """

    empirical: Floats
    theoretical: Floats
    narrow: Floats
    average: Floats
    pairs: Pairs
    searches: Mapping[Normalisation | None, Floats]
    own_theory: Mapping[Normalisation | None, Floats]

    def discrepancy(self, predicted: Floats) -> tuple[float, int]:
        """Return empirical minus predicted CMC where it is largest in size, and the rank."""
        apart = self.empirical - predicted
        worst = int(np.argmax(np.abs(apart)))
        return float(apart[worst]), worst + 1


def draw_scores(model: Model, seed: int, number: int, *, people: int = GALLERY, samples: int = SAMPLES) -> ScoreMatrix:
    """Draw data set `number`: the scores of all probes against a gallery of one reference a person.

    The people and their samples are the same for all models. With "clear", (1 + cosine)/2 is multiplied by a factor of
    either person, log-normal with standard deviation 0.05: people whose features are clearer score higher with all.
    """
    generator = block_generator(seed, f"bolle2005, {people} × {samples}", number)
    drawn = GaussianIdentities(BETWEEN).draw(people, samples, rng=generator)
    factor = np.exp(CLEARNESS * generator.standard_normal(people))
    gallery = np.arange(0, people * samples, samples)
    probes = np.setdiff1d(np.arange(people * samples), gallery)
    x, y = drawn.features[probes], drawn.features[gallery]
    scores = log_likelihood_ratio(x, y, BETWEEN) if model == "calibrated" else cosine(x, y)
    if model == "clear":
        scores = (1 + scores) / 2 * factor[drawn.subject[probes], None] * factor[drawn.subject[gallery]]
    names, labels = np.array(drawn.subject_names), np.array(drawn.sample_names)
    return ScoreMatrix.from_arrays(
        scores,
        names[probes].tolist(),
        names[gallery].tolist(),
        probe_sample=labels[probes].tolist(),
        reference_sample=labels[gallery].tolist(),
    )


def measure(matrix: ScoreMatrix) -> Measured:
    """Measure and predict the CMC of a matrix of probes × one reference a person."""
    tally, size = matrix.tally(), matrix.scores.shape[1]
    layouts = {by: matrix if by is None else normalise(matrix, by) for by in SEARCHES}
    searches = {by: cmc(rank(layout)).rate for by, layout in layouts.items()}
    return Measured(
        searches[None],
        theoretical_cmc(tally, size),
        narrow_cmc(tally, size),
        step_cmc(SubjectTallies.of(matrix.comparisons(), symmetric="no"), size),
        _pairs(matrix, tally),
        searches,
        {by: theoretical_cmc(layout.tally(), size) for by, layout in layouts.items()},
    )


def _pairs(matrix: ScoreMatrix, tally: Tally) -> Pairs:
    both = tally.n_mated * tally.n_nonmated
    mated_above, nonmated_above = (
        np.append(counts[1:], 0) for counts in (tally.mated_at_or_above, tally.nonmated_at_or_above)
    )
    # Per pair of scores, in halves: 2 where the mated score is the higher, 1 where they are equal.
    won = np.dot(tally.mated, 2 * (tally.n_nonmated - nonmated_above) - tally.nonmated)
    beaten = np.dot(tally.nonmated, 2 * mated_above + tally.mated)
    first, second = theoretical_rank_probabilities(tally, 2)
    return Pairs(
        int(won) / (2 * both),
        int(beaten) / (2 * both),
        float(first),
        float(second),
        area_under_roc(tally),
        float(expected_cmc(matrix, [1], gallery_size=2).rate[0]),
    )
