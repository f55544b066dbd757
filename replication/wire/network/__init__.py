"""The engine's loop, connections, logins, frame memory, and Kafka's errors as our own."""
