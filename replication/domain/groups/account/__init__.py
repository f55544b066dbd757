"""The evidence of how a partition was copied, and the places of offsets by it."""
