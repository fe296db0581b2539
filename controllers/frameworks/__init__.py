"""Frameworks: the views of one epoch, an action for each."""
