"""Tests the connection to each broker of a cluster: plain sockets up to the protocol, librdkafka from the login on."""
