"""Histograms, and how long measured values and audits are kept."""
