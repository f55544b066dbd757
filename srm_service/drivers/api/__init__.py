"""The REST API of orders to drivers."""
