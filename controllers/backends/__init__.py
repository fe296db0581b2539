"""Backends: one view, one action."""
