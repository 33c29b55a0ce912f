"""What Veldhuis & Raja (2023) did and said: the parameters of their experiments, and their statements in our words.

The paper shows curves and gives few numbers. Its claims are therefore kept as sentences, each with the place where it
is made; what a run measures is written beside them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

__all__ = [
    "CLASSIFIERS",
    "FIGURES",
    "FIGURE_1",
    "FIGURE_2",
    "NOT_PUBLIC",
    "STATEMENTS",
    "TABLE_1",
    "Classifier",
    "Parameters",
    "Statement",
]

Classifier: TypeAlias = Literal["llr", "cosine"]

CLASSIFIERS: dict[Classifier, str] = {"llr": "log-likelihood ratio", "cosine": "cosine"}
"""The scores of Eqs. 31 and 32, as a page calls them."""


class Parameters(NamedTuple):
    """A row of Table I: gallery size n, samples of each identity m, galleries for each mated entry m_g."""

    n: int
    m: int
    m_g: int


class Statement(NamedTuple):
    """Something the paper says: where, and what."""

    where: str
    published: str


TABLE_1: dict[str, tuple[Parameters, ...]] = {
    "synthetic data": (Parameters(10, 30, 30), Parameters(100, 20, 5)),
    "FRGC-V2 data": (Parameters(10, 20, 30), Parameters(100, 20, 5)),
    "FVC2006 data": (Parameters(100, 10, 30),),
    "HKPU Cross-Spectral Iris data": (Parameters(100, 10, 30),),
}

FIGURE_1 = ((4, 40), (10, 40), (40, 400), (100, 400))
"""(r, n) of the kernels β(α; r, n − r)."""

FIGURE_2 = (30, 60, 120)
"""Gallery sizes of the CMCs of ρ(α) = (1 − e^−50α)/(1 − e^−50)."""

FIGURES: dict[int, tuple[int, Classifier]] = {3: (10, "llr"), 4: (10, "cosine"), 5: (100, "llr"), 6: (100, "cosine")}
"""Gallery size and scores of the figures on synthetic data."""

NOT_PUBLIC = (
    "Figures 7 to 10 of the paper use FRGC-V2 faces, FVC2006 fingerprints and HKPU irises. These data are not public, "
    "so those figures cannot be reproduced here."
)

STATEMENTS: dict[str, Statement] = {
    "spread": Statement("Figure 3a", "the individual ROCs can lie quite far apart"),
    "reduced": Statement(
        "Figures 3a and 3b", "individual predictions deviate slightly, and the deviation is smaller for the global CMC"
    ),
    "low ranks": Statement("Figure 3c", "the deviation is largest at the lower ranks"),
    "two ROCs": Statement(
        "Figures 3b and 4b", "global and average ROC differ for the log-likelihood ratio, less so for the cosine"
    ),
    "closer": Statement("Figures 3 and 5", "prediction and measurement are closer together at n = 100 than at n = 10"),
    "to the ROC": Statement("Figure 5b", "at n = 100 the CMC over r/n is closer to the average ROC than at n = 10"),
    "above": Statement(
        "Figure 5b", "for the log-likelihood ratio at n = 100 the global ROC lies above the average ROC"
    ),
    "coincide": Statement("Figure 6b", "for the cosine at n = 100 the two seem to overlap completely"),
    "from below": Statement("Section V", "the CMC approaches a concave ROC from below"),
    "rate": Statement("Theorem 2", "the CMC converges to the ROC at the rate 1/n"),
    "rank 1": Statement("Section V", "at ranks close to 1 the rate is close to 1/n²"),
    "bound": Statement("Eq. 43", "|cmc(r; n) − ρ(r/n)| is at most max|ρ″|/2 · (r/n)(1 − r/n)/(n + 1)"),
    "areas": Statement("Corollary 2", "the mean of the CMC is (1 − 1/n) times the area under the ROC, plus 1/n"),
    "faces": Statement(
        "Section VI-B", "on faces at n = 100, where the ROC is steep, the prediction is too low at the lower ranks"
    ),
}
"""Their statements by a short name of ours."""
