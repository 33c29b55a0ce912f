"""Identification: what is measured on a gallery, and what verification predicts of it."""
