"""What the whole system consists of on one machine: its processes, their environment and their order."""
