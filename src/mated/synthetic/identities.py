"""The Gaussian identity model: people, their samples and comparison scores with a known truth.

A feature vector is x = b + w: b ~ N(0, Σ_B) belongs to the person, w ~ N(0, Σ_W) to the capture, Σ_W = I − Σ_B,
both diagonal (Veldhuis & Raja 2023, section VI-A, Eqs. 30 to 32).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from mated.errors import MatedError
from mated.scores import ScoreMatrix
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores import Comparisons

__all__ = ["GaussianIdentities", "Scorer", "SyntheticSamples", "cosine", "log_likelihood_ratio"]

Scorer = Literal["llr", "cosine"]

VELDHUIS_RAJA_2023 = (0.5, 0.8, 0.85, 0.9)
"""Between-person variances of their Eq. 30."""


@dataclass(frozen=True)
class GaussianIdentities:
    """The model; `between` holds the diagonal of Σ_B, each value in (0, 1)."""

    between: tuple[float, ...] = VELDHUIS_RAJA_2023

    def __post_init__(self) -> None:
        if not self.between or not all(0 < v < 1 for v in self.between):
            raise MatedError(f"between-person variances must lie between 0 and 1, and {self.between} do not")

    def draw(
        self,
        subjects: int,
        samples: int,
        *,
        rng: np.random.Generator | int | None = None,
        noise: float | NDArray[np.float64] = 1.0,
    ) -> SyntheticSamples:
        """Draw `samples` feature vectors of each of `subjects` people, ordered by person.

        `noise` multiplies the within-person standard deviation: one value, one a person, or one a person and sample,
        for people and captures that are harder than others. The model's own scores do not know of it.
        """
        if subjects < 1 or samples < 1:
            raise MatedError(f"draw at least one subject and one sample, not {subjects} and {samples}")
        generator = np.random.default_rng(rng)
        variances = np.array(self.between)
        person = generator.standard_normal((subjects, 1, len(variances))) * np.sqrt(variances)
        capture = generator.standard_normal((subjects, samples, len(variances))) * np.sqrt(1 - variances)
        factor = np.asarray(noise, dtype=np.float64)
        if factor.shape not in ((), (subjects,), (subjects, samples)):
            raise MatedError(
                f"noise is one value, one a person ({subjects}) or one a person and sample ({subjects} × {samples}), "
                f"not of shape {factor.shape}"
            )
        factor = factor if factor.ndim == 2 else np.broadcast_to(factor, (subjects,))[:, None]
        capture *= factor[:, :, None]
        return SyntheticSamples(
            (person + capture).reshape(subjects * samples, -1), np.repeat(np.arange(subjects), samples), self
        )


@dataclass(frozen=True, eq=False, repr=False)
class SyntheticSamples:
    """Feature vectors with the person each belongs to, and the model they came from."""

    features: NDArray[np.float64]
    subject: NDArray[np.int64]
    model: GaussianIdentities

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", read_only(self.features))
        object.__setattr__(self, "subject", read_only(self.subject))

    def matrix(self, scorer: Scorer = "llr", *, scale: float = 1.0, decimals: int | None = None) -> ScoreMatrix:
        """Score every sample against every other, each pair once.

        `scale` and `decimals` make a scoring system: scores are multiplied, then rounded.
        """
        if scorer == "llr":
            scores = log_likelihood_ratio(self.features, self.features, self.model.between)
        elif scorer == "cosine":
            scores = cosine(self.features, self.features)
        else:
            raise MatedError(f"there is no scorer {scorer!r}; the scorers are 'llr' and 'cosine'")
        scores = (scores + scores.T) / 2 * scale  # products may differ in the last bit
        if decimals is not None:
            scores = np.round(scores, decimals)
        people = self.subject_names
        return ScoreMatrix.from_arrays(
            scores, people, people, probe_sample=self.sample_names, reference_sample=self.sample_names
        )

    def comparisons(self, scorer: Scorer = "llr", *, scale: float = 1.0, decimals: int | None = None) -> Comparisons:
        """List the comparisons of `matrix` as a table."""
        return self.matrix(scorer, scale=scale, decimals=decimals).comparisons()

    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the two samples of each comparison, in the order in which `comparisons` lists them."""
        return np.triu_indices(len(self.subject), k=1)

    @property
    def subject_names(self) -> list[str]:
        """A name for the person of each sample."""
        width = len(str(int(self.subject.max()) + 1))
        return [f"p{code + 1:0{width}d}" for code in self.subject.tolist()]

    @property
    def sample_names(self) -> list[str]:
        """A name for each sample."""
        first = np.searchsorted(self.subject, self.subject)
        order = np.arange(len(self.subject)) - first + 1
        width = len(str(int(order.max())))
        return [f"{name}-{k:0{width}d}" for name, k in zip(self.subject_names, order.tolist(), strict=True)]

    def __repr__(self) -> str:
        return f"SyntheticSamples({len(np.unique(self.subject))} subjects, {len(self.subject)} samples)"


def log_likelihood_ratio(
    x: NDArray[np.float64], y: NDArray[np.float64], between: tuple[float, ...]
) -> NDArray[np.float64]:
    """Return the log-likelihood ratio "one person" over "two people" of all pairs of rows (their Eq. 31).

    The squares are multiplied out, so that all pairs cost one matrix product.
    """
    variances = np.array(between)
    apart = variances / (1 - variances)
    together = variances / (1 + variances)
    constant = -0.5 * np.log(1 - variances**2).sum()
    own_x, own_y = ((rows**2) @ (together - apart) / 4 for rows in (x, y))
    scores: NDArray[np.float64] = (x * (apart + together) / 2) @ y.T
    scores += constant + own_x[:, None] + own_y[None, :]
    return scores


def cosine(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cosine of the angle between all pairs of rows (their Eq. 32)."""
    scores: NDArray[np.float64] = _unit_rows(x) @ _unit_rows(y).T
    return scores


def _unit_rows(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    units: NDArray[np.float64] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return units
