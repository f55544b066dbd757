"""Decides which consumer groups a flow translates and how they are divided into checkpoint slots."""
