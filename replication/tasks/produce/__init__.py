"""The target's side: what goes out when, what comes back, and which transaction it belongs to."""
