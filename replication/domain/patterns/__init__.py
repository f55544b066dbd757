"""Patterns that operators write: Java's regular expressions, matched in time that grows with the text only."""
