"""The allow and deny lists of flows: how they are read from and written to a control topic, over the ports."""
