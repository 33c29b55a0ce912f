"""Scans of small frames that are cut into parts and batches where a test wants them cut."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
import polars as pl

from mated.io.scanning import Scan, ScanPart

ROLES = ("score", "mated", "probe_subject", "reference_subject", "probe_sample", "reference_sample")


# What depends on all scores at once, and what only one of the two says.
INEXACT = {"auc", "d_prime", "cllr", "min_cllr", "detection_cost"}
ABOUT_READING = {"streaming", "notes"}


def scan_of(frame, *, edges=(), batches=3, **fields):
    """Cut a frame with canonical columns into parts at some rows, and each part into batches."""
    if "mated" not in frame.columns:
        frame = frame.with_columns(mated=pl.col("probe_subject") == pl.col("reference_subject"))

    def cut(piece, at):
        ends = [0, *sorted(at), piece.height]
        return [piece[a:b] for a, b in pairwise(ends)]

    def give(pieces, columns):
        for piece in pieces:
            yield piece.select(columns)

    parts = []
    for k, piece in enumerate(cut(frame, edges)):
        pieces = cut(piece, np.linspace(0, piece.height, batches + 1).astype(int)[1:-1])
        parts.append(ScanPart(f"part {k}", partial(give, pieces), piece.height))
    options = {"dissimilarity": False, "unit": "auto", "nan": "refuse", **fields}
    knows = frozenset(c for c in frame.columns if c in ROLES)
    return Scan("scores", tuple(parts), knows, tuple(c for c in frame.columns if c not in ROLES), **options)


def differing(one, other, *, besides=frozenset(), path=""):
    """List where two dictionaries differ in the last bit, apart from some keys."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = (one.keys() | other.keys()) - besides
        return [d for key in keys for d in differing(one.get(key), other.get(key), path=f"{path}/{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [d for k, pair in enumerate(zip(one, other, strict=True)) for d in differing(*pair, path=f"{path}[{k}]")]
    return [] if repr(one) == repr(other) else [(path, one, other)]


def beyond_declared(streamed, memory):
    """List where a streamed result differs from that in memory, apart from what it declares to be inexact."""
    declared = set() if streamed["streaming"] is None else set(streamed["streaming"]["inexact"])
    assert not declared - {*INEXACT, "curves", "auc intervals", "eer intervals", "eer by rocch"}
    besides = ABOUT_READING | (INEXACT & declared) | ({"auc"} if "auc intervals" in declared else set())
    return differing(streamed, memory, besides=besides)
