"""One module per syntax: how the text of a file becomes properties with places, and how they become text again."""
