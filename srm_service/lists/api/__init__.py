"""The REST resource of a flow's allow and deny lists."""
