"""What the peers do with the same scores; each is timed with its own input already in its own form."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benchmarks import scores
from benchmarks.timing import best_time

__all__ = ["elsewhere"]

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / ".venv-peers" / "bin" / "python"


def bob_measure(pair) -> float:
    """bob.measure: EER, thresholds at two FMRs, ROC and DET of 200 points, AUC."""
    import bob.measure

    mated, nonmated = (s.astype(float) for s in pair)

    def everything() -> None:
        bob.measure.eer(nonmated, mated)
        for far in (1e-2, 1e-3):
            bob.measure.far_threshold(nonmated, mated, far)
        bob.measure.roc(nonmated, mated, n_points=200)
        bob.measure.det(nonmated, mated, n_points=200)
        bob.measure.roc_auc_score(nonmated, mated)

    return best_time(everything, repeats=3)


def torchmetrics_eer(pair) -> float:
    """torchmetrics: exact ROC, AUROC and EER."""
    import torch
    from torchmetrics.functional.classification import binary_auroc, binary_eer, binary_roc

    labels, values = scores.labelled(pair)
    target = torch.from_numpy(labels).long()
    preds = torch.sigmoid(torch.from_numpy(values.astype("float64") / abs(values).max()))

    def everything() -> None:
        binary_roc(preds, target)
        binary_auroc(preds, target)
        binary_eer(preds, target)

    return best_time(everything, repeats=3)


def elsewhere(peer: str, data: str) -> float | None:
    """Time a peer in the separate environment of `make peers`; None where it is not installed."""
    if not PEERS.exists():
        return None
    done = subprocess.run(
        [PEERS, "-m", "benchmarks.peers", peer, data], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


if __name__ == "__main__":
    peer, data = sys.argv[1:]
    print(json.dumps({"bob": bob_measure, "torchmetrics": torchmetrics_eer}[peer](getattr(scores, data)())))
