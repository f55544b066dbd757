"""The whole system on one machine: its processes, their environment and their order."""
