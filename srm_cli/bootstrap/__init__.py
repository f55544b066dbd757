"""Sets up a fresh clone: virtual environment, jars, web page. Standard library only.

It runs with the system's Python, before anything is installed.
"""
