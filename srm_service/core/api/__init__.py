"""Conventions of the REST API: problem documents, pagination and the OpenAPI document."""
