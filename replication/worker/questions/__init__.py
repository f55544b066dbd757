"""Answers the service's questions: who accepts one, one thread per flow, and which slots a draft restarts."""
