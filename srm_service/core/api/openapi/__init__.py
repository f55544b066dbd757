"""Describes the REST API in the OpenAPI document where drf-spectacular cannot derive it."""
