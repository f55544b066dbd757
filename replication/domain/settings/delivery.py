"""The delivery of a flow, and the setting of Connect workers that chooses it."""

from replication.domain.settings.choices import Delivery, ExactlyOnceSupport, IsolationLevel


def delivery_of(support: ExactlyOnceSupport) -> Delivery:
    """Return the delivery that a value of `exactly.once.source.support` means."""
    return "exactly_once" if support == "enabled" else "at_least_once"


def support_of(delivery: Delivery) -> ExactlyOnceSupport:
    """Return the value of `exactly.once.source.support` that means this delivery."""
    return "enabled" if delivery == "exactly_once" else "disabled"


def required_isolation(delivery: Delivery) -> IsolationLevel | None:
    """Return the isolation level that a delivery demands; None if the flow may choose it."""
    return "read_committed" if delivery == "exactly_once" else None
