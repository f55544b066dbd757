"""Records for the demonstration: a few topics as a small shop would have them."""
