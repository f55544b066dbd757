"""Decides where consumer groups continue on the other cluster: translation, checkpoints, offset sync, readiness."""
