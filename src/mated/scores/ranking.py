"""`rank`: search a gallery with every probe of a layout, and keep the place of each mate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mated.errors import MatedError
from mated.scores.comparisons import Comparisons
from mated.scores.matrix import ScoreMatrix
from mated.scores.rank_matrices import rank_rows
from mated.scores.rank_tables import rank_table

if TYPE_CHECKING:
    from mated.scores.ranks import Ranks
    from mated.scores.subject_tallies import Symmetry

__all__ = ["rank", "rank_rows", "rank_table", "with_mates"]


def rank(layout: Comparisons | ScoreMatrix, *, symmetric: Symmetry = "auto") -> Ranks:
    """Search the gallery with every probe, and find the rank of its mate among the identities.

    The gallery holds identities; one with several references scores as its best reference. In a table a probe is a
    probe sample, in a matrix a row. A sample is never compared with itself.

    Parameters
    ----------
    layout
        A table or a matrix. A table names subjects and samples, or subjects alone where each pair of subjects occurs
        once (a subject is then one probe), or samples with a mated flag (samples linked by mated comparisons are then
        one identity). A sample name that stands on both sides is one sample. The gallery is that of all references
        listed, or of all columns.
    symmetric
        Whether a comparison counts in both directions, so that each sample is a probe searched against all others:
        "yes", "no", or "auto" for yes where each pair of samples is listed once. Both triangles of a matrix that is its
        own transpose are read anyway.

    Returns
    -------
    Ranks
        Of the mated probes the ranks, of the open-set probes the best scores; `notes` says what was decided. Failed
        comparisons rank a mate last and never let another identity beat it.

    Notes
    -----
    Rank r = 1 + (number of other identities whose best score is higher), and as much again as `tied` says where ties
    count against the mate. Where both entries of a pair in a matrix that is its own transpose differ by rounding, each
    row is read as it stands.

    See Also
    --------
    rank_table, rank_rows : the same for a part of the probes, also where none of them has a mate.
    """
    if not isinstance(layout, Comparisons | ScoreMatrix):
        raise MatedError(f"ranks are those of Comparisons or a ScoreMatrix, not of {type(layout).__name__}")
    if isinstance(layout, ScoreMatrix):
        found = rank_rows(layout, 0, len(layout.scores), symmetric=symmetric)
    else:
        found = rank_table(layout, symmetric=symmetric)
    return with_mates(found)


def with_mates(found: Ranks) -> Ranks:
    """Return ranks as they are, or refuse those of no mated probe at all."""
    if not found.n_mated:
        reason = (
            f"{found.unsearched} probes were never compared with the references of their subject"
            if found.unsearched
            else "no subject of a probe is in the gallery with another sample"
        )
        raise MatedError(
            f"no probe was compared with a mate, so nothing can be identified: {reason}; check how subjects are named "
            "on both sides" + (f" ({'; '.join(found.notes)})" if found.notes else "")
        )
    return found
