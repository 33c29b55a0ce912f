"""The registry of formats, and the weight of the package."""

from __future__ import annotations

import subprocess
import sys

from mated.io import READERS


def test_importing_the_readers_imports_no_data_frame_library():
    code = "import sys, mated.io; print(sorted({'polars', 'narwhals', 'pandas', 'pyarrow'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_format_has_a_name_of_its_own_and_a_description():
    names = [reader.name for reader in READERS]
    assert sorted(names) == [
        *("bee", "bob", "dasec", "frame", "frte", "histogram", "lists"),
        *("matrix", "npy", "pairs", "parquet", "table", "trials"),
    ]
    assert all(reader.description for reader in READERS)


def test_the_table_is_asked_last_since_it_takes_any_text():
    assert READERS[-1].name == "table"
