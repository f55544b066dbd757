"""Requests that describe groups of the newer types, by Kafka's own schemas; kafka-python has neither them nor types."""

from kafka.protocol.api_message import ApiMessage

from replication.wire.groups import schemas


class ConsumerGroupDescribeRequest(ApiMessage, load_json=schemas):  # type: ignore[misc,call-arg]
    """KIP-848."""


class ConsumerGroupDescribeResponse(ApiMessage, load_json=schemas):  # type: ignore[misc,call-arg]
    """KIP-848."""


class ShareGroupDescribeRequest(ApiMessage, load_json=schemas):  # type: ignore[misc,call-arg]
    """KIP-932."""


class ShareGroupDescribeResponse(ApiMessage, load_json=schemas):  # type: ignore[misc,call-arg]
    """KIP-932."""


class StreamsGroupDescribeRequest(ApiMessage, load_json=schemas):  # type: ignore[misc,call-arg]
    """KIP-1071."""


class StreamsGroupDescribeResponse(ApiMessage, load_json=schemas):  # type: ignore[misc,call-arg]
    """KIP-1071."""
