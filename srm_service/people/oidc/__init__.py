"""Logs people in at an OpenID Connect provider (extra `oidc`): verifies its answer, derives name and role."""
