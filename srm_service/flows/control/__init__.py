"""Orders of operators by verb and scope, and the outcomes that drivers report."""
