"""The clusters and flows of a configuration file, and the replication policy that a flow names."""
