"""Consumer groups of a cluster, and the topics that tell how a flow has copied."""
