"""Reads the files below `docker/`: images, the compose file, systemd units, Kubernetes objects."""
