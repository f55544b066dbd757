"""The search over flows, topics, consumer groups, clusters and property keys."""
