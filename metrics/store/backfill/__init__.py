"""Decides how a backfill keeps the hours that it counts again, and how these replace those in the tile tables."""
