"""Quality: how well a quality algorithm tells which comparisons will go wrong."""
