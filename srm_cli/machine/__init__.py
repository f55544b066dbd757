"""Files, ports, processes and programs of this machine."""
