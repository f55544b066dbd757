"""Orders that a person gives a flow (holds, resets), and the limits on its rate."""
