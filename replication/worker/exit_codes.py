"""Exit codes of a driver process (sysexits.h)."""

EX_SOFTWARE = 70  # tasks did not end, or the process hung
EX_CONFIG = 78  # invalid environment or state folder, a port that is taken, an id in use: a restart does not help
