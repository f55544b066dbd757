"""Positions, offset runs, offset syncs and gaps: the account of which source offset was copied to where."""
