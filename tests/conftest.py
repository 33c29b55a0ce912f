"""Settings shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "default", deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
# A change is judged by the same examples every time; new ones are searched for while working on it.
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "default")

REFERENCE_DATA = Path(os.environ.get("MATED_REFERENCE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def reference_data() -> Path:
    """Folder of real score files that published figures were computed from; never part of the project."""
    if not REFERENCE_DATA.is_dir():
        pytest.skip("the reference data are not on this machine (MATED_REFERENCE_DATA names their folder)")
    return REFERENCE_DATA
