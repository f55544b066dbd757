"""Reads what checkpoint tasks publish about consumer groups, and asks control workers about their partitions."""
