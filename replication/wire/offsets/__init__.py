"""The positions, offset runs, syncs and gaps of a flow, read and written as records."""
