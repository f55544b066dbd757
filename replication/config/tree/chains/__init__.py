"""The value in force for every key of a flow and client, with every value that lost."""
