"""Requests audits and combines their results by flow and topic."""
