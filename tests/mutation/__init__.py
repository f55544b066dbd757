"""Decides how good the tests of fencing and positions are: each condition is flipped, and some test must fail."""
