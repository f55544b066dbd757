"""Looks at this machine and says in one line each what is missing and what to do about it."""
