"""The documentation site: Markdown pages, read by Sphinx."""

from __future__ import annotations

from mated import __version__

project = "mated"
author = "The mated developers"
copyright = "The mated developers, Apache-2.0"  # noqa: A001 - the name Sphinx reads
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]

autodoc_typehints = "none"  # signatures show them
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_attr_annotations = False  # a trailing underscore, as in np.bool_, would be taken for a link

# Some pages link to files outside this folder; tests/contracts/test_documentation.py follows every link.
suppress_warnings = ["myst.xref_missing"]

html_theme = "furo"
html_title = f"mated {version}"
html_static_path: list[str] = []
templates_path: list[str] = []
