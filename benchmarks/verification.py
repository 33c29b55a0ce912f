"""All verification numbers and curves, from arrays in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics import det_curve, roc_auc_score, roc_curve

import mated
from benchmarks import peers, scores
from benchmarks.timing import best_time, peak_memory

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["PACKAGES", "sections"]

PACKAGES = ("mated", "numpy", "scipy", "scikit-learn", "pyeer")

Row = tuple[str, str, str, str]


def ours(pair) -> None:
    """Every number `mated verify --json` prints, with the whole ROC and DET."""
    v = mated.verify(*pair, fmr=(1e-2, 1e-3), threshold=300, tmr=0.99, prior=0.01)
    v.to_dict()
    _ = v.roc, v.det


def our_roc(pair) -> None:
    """The whole ROC."""
    _ = mated.verify(*pair).roc


def scikit_learn(labels, values) -> None:
    """ROC, AUC and DET of scikit-learn."""
    roc_curve(labels, values)
    roc_auc_score(labels, values)
    det_curve(labels, values)


def scikit_learn_roc(data) -> None:
    """The ROC of scikit-learn alone."""
    roc_curve(*data)


def labelled_many():
    """Twenty million scores with labels."""
    return scores.labelled(scores.many())


def pyeer(pair) -> None:
    """Every number of pyeer."""
    from pyeer.eer_info import get_eer_stats

    get_eer_stats(*pair)


def sections() -> Iterator[tuple[str, list[Row]]]:
    """Yield a title and its rows: what, time, ratio to mated, remark."""
    for kind in ("integers", "continuous"):
        pair = getattr(scores, kind)()
        title = f"60,000 mated + 120,000 non-mated scores, {'integers' if kind == 'integers' else 'continuous float64'}"
        yield title, list(_rows(pair, kind))
    yield "2 million mated + 18 million non-mated float32 scores", list(_large())


def _rows(pair, kind: str) -> Iterator[Row]:
    own = best_time(lambda: ours(pair), repeats=20)
    data = scores.labelled(pair)
    yield _row("mated: every number, ROC and DET", own, own, "")
    yield _row("scikit-learn: roc_curve + roc_auc_score + det_curve", best_time(lambda: scikit_learn(*data)), own, "")
    yield _row("pyeer: get_eer_stats", best_time(lambda: pyeer(pair), repeats=2), own, "")
    for peer, name in (
        ("bob", "bob.measure: EER, 2 thresholds, ROC, DET, AUC"),
        ("torchmetrics", "torchmetrics: ROC, AUROC, EER"),
    ):
        seconds = peers.elsewhere(peer, kind)
        remark = {"bob": "curves of 200 points only", "torchmetrics": "CPU"}[peer]
        yield _row(name, seconds, own, remark) if seconds else (name, "–", "–", "not installed; see make peers")
    if kind == "continuous":
        together = np.concatenate(pair)
        yield _row("NumPy: one plain sort of all scores", best_time(lambda: np.sort(together)), own, "")


def _large() -> Iterator[Row]:
    own = None
    for what, prepare, call in (
        ("mated: the whole ROC", scores.many, our_roc),
        ("mated: every number, ROC and DET", scores.many, ours),
        ("scikit-learn: roc_curve", labelled_many, scikit_learn_roc),
    ):
        first, memory = peak_memory(prepare, call)
        data = prepare()
        seconds = best_time(lambda data=data, call=call: call(data), repeats=3)
        own = own or seconds
        remark = f"{memory / 1e9:.2f} GB beyond the scores; first call in a fresh process {1e3 * first:,.0f} ms"
        yield _row(what, seconds, own, remark)


def _row(what: str, seconds: float, own: float, remark: str) -> Row:
    return what, f"{1e3 * seconds:,.1f} ms", f"{seconds / own:.1f}×", remark
