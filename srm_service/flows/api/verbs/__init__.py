"""Orders by verb and scope over REST: bodies, answers, and the list of stops."""
