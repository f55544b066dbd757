"""The property tree: every property with its level and prefix, as files and people wrote it, before it is resolved.

`properties.py` holds the values; the folder decides how files become properties, how properties become files again,
and which value is in force for a flow and a client, with every value that lost.
"""
