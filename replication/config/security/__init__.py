"""The security of connections to a cluster: TLS, SASL, tokens, key stores, and secrets kept encrypted."""
