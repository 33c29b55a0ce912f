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

html_theme = "furo"
html_title = f"mated {version}"
html_static_path: list[str] = []
templates_path: list[str] = []
