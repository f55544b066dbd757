"""Decides the bytes of records that the engine and MirrorMaker 2 share."""
