"""REST resources of operators' orders: actions, throttle, holds and resets."""
