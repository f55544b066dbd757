"""Django settings; the only package of the service that reads the environment."""
