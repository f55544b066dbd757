"""The copying engine: the source task of one slot and its parts, and a flow's heartbeats."""
