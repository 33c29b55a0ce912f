"""Layouts of comparisons and the sufficient statistics they are reduced to."""

from __future__ import annotations

from mated.scores.comparisons import Comparisons
from mated.scores.ids import PairIds
from mated.scores.matrix import ScoreMatrix
from mated.scores.ranking import rank
from mated.scores.ranks import Ranks
from mated.scores.subject_tallies import MatedGrid, SubjectTallies
from mated.scores.tally import Tally

__all__ = ["Comparisons", "MatedGrid", "PairIds", "Ranks", "ScoreMatrix", "SubjectTallies", "Tally", "rank"]
