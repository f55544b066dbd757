"""Answers questions about consumer groups from both clusters: partitions, group offset sync now, translations."""
