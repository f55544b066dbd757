"""REST resources of users, sessions, tokens and the own password."""
