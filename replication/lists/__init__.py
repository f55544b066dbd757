"""Topics of the service over the ports: the allow and deny lists of a flow, and the advertisements of services."""
