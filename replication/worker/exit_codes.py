"""Exit codes of a driver process (sysexits.h)."""

EX_SOFTWARE = 70  # tasks did not end, or the process hung
EX_CONFIG = 78  # the id is in use by another process; a restart does not help
