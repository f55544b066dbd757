"""Kafka's rule for names of topics (`org.apache.kafka.common.internals.Topic.validate`)."""

import re

MAX_TOPIC_NAME = 249
_LEGAL_NAME = re.compile(rf"[a-zA-Z0-9._-]{{1,{MAX_TOPIC_NAME}}}")


def has_legal_characters(text: str) -> bool:
    """Return True when topics may have this text in their names."""
    return _LEGAL_NAME.fullmatch(text) is not None


def is_legal_topic_name(name: str) -> bool:
    return name not in (".", "..") and has_legal_characters(name)
