"""Lists of the topics of a flow, a page at a time."""
