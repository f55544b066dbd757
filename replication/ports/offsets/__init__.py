"""The account a slot keeps of its copying in the target, written and read."""
