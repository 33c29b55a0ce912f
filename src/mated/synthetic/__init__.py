"""Synthetic people with a known truth, for demonstrations, experiments and tests."""

from __future__ import annotations

from mated.synthetic.identities import GaussianIdentities, SyntheticSamples, cosine, log_likelihood_ratio

__all__ = ["GaussianIdentities", "SyntheticSamples", "cosine", "log_likelihood_ratio"]
