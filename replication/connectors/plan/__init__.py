"""Decides which topics a flow copies and how its partitions are divided into slots."""
