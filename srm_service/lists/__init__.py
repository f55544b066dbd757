"""The allow and deny lists of flows: reads them back from the control topics, stores them, and writes changes."""
