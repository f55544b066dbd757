"""Taking flows over from MirrorMaker 2 and giving them back."""
