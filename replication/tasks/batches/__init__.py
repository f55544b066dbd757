"""From fetched bytes to queue entries: pass on, rebuild or drop, decided per batch."""
