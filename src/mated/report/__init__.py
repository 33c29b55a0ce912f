"""From a study to a page that a laboratory can publish."""

from __future__ import annotations
