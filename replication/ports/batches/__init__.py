"""The work on batches themselves: rebuild them, split a rejected one, and bound the memory they take."""
