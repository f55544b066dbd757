"""Judges groups: by their partitions, and by what their application would miss on the target."""
