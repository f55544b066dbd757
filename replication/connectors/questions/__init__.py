"""Inspects both clusters of a flow to answer the service: change plans, previews, topic states, config drift."""
