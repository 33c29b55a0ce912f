"""A whole synthetic study: two systems, two groups of people and three quality algorithms, with a known truth.

People are those of the Gaussian identity model. Every capture has its own noise; captures of group B have more of it.
A quality algorithm sees the noise of a capture through an error of its own, and one of the three sees nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mated.scores.validation import read_only
from mated.synthetic.identities import GaussianIdentities, SyntheticSamples

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from mated.scores import Comparisons

__all__ = ["GROUPS", "SyntheticStudy", "draw_study"]

GROUPS = ("A", "B")
_BETWEEN = (0.85,) * 8 + (0.92,) * 8
_HARDER = 1.15
_SPREAD = 0.3
_SEES = {"sharp": 0.1, "fair": 0.4, "blind": np.inf}


@dataclass(frozen=True, eq=False, repr=False)
class SyntheticStudy:
    """Samples of people in two groups, with the qualities that three algorithms give them.

    Attributes
    ----------
    people
        The samples, ordered by person.
    group
        The group of each sample's person.
    quality
        For each algorithm the quality of each sample, from 0 to 100, the best algorithm first.
    """

    people: SyntheticSamples
    group: NDArray[np.str_]
    quality: Mapping[str, NDArray[np.float64]]

    def systems(self) -> dict[str, Comparisons]:
        """Score all pairs of samples by two systems: one that writes integers, one that writes four decimals."""
        return {
            "alpha": self.people.comparisons("llr", scale=100, decimals=0),
            "beta": self.people.comparisons("cosine", decimals=4),
        }

    def pair_groups(self) -> dict[str, NDArray[np.str_]]:
        """Return the group of both samples of each comparison, as further columns."""
        rows, columns = self.people.pairs()
        return {"probe_group": self.group[rows], "reference_group": self.group[columns]}


def draw_study(
    subjects: int = 200, samples: int = 3, *, rng: np.random.Generator | int | None = None
) -> SyntheticStudy:
    """Draw people, captures and qualities."""
    generator = np.random.default_rng(rng)
    group = np.array(GROUPS)[np.arange(subjects) % 2]
    log_noise = _SPREAD * generator.standard_normal((subjects, samples))
    log_noise += np.where(group == GROUPS[1], np.log(_HARDER), 0.0)[:, None]
    people = GaussianIdentities(_BETWEEN).draw(subjects, samples, rng=generator, noise=np.exp(log_noise))
    quality = {}
    for name, error in _SEES.items():
        own = generator.standard_normal(log_noise.size)
        seen = own * _SPREAD if np.isinf(error) else -log_noise.ravel() + error * own
        quality[name] = read_only(np.clip(np.round(50 + 50 * seen, 1), 0, 100))
    return SyntheticStudy(people, read_only(np.repeat(group, samples)), quality)
