"""Saved views and preferences of a person, for the page. No one else reads or changes them."""
