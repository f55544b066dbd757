"""The source's side: which broker to read from, and which answers may be believed."""
