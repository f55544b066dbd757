"""Stores the property tree, its versions and drafts: the tree is the truth, clusters and flows are derived from it."""
