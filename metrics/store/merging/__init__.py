"""Decides how rows are merged in the database, by SQL that follows from the tables' definitions."""
