"""Decides which clusters and flows follow from the tree, and writes them."""
