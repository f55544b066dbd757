"""ADAPTER for Kerberos: the machine's GSSAPI library for logins, and a gateway for clients that cannot do it."""
