"""Answers the service's questions: who takes one, one thread per flow, and which slots a draft restarts."""
