"""Answers as files: lists as CSV, rows as CSV or JSON."""
