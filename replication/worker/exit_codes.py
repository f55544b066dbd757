"""Exit codes of a driver process (sysexits.h)."""

EX_SOFTWARE = 70  # tasks did not end, or the process hung
EX_CONFIG = 78  # the state folder, the HTTP port or the id cannot be used: a restart does not help
