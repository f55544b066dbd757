"""The settings of a flow's record path that consist of several keys: transforms, and the producer's compression.

`producer.override.compression.type` and its relatives count only where they are written down: without them, every
batch keeps its codec, which MirrorMaker cannot offer.
"""

from replication.config.files.findings import Findings
from replication.config.settings.resolve import Resolver
from replication.domain.settings.record_settings import check_transforms
from replication.domain.settings.registry.clients import PRODUCER_COMPRESSION
from replication.domain.settings.registry.records import TRANSFORMS


def read_record_keys(resolver: Resolver, findings: Findings) -> dict[str, str]:
    """Return settings for the source connector; errors are reported with their line."""
    compression = resolver.given(PRODUCER_COMPRESSION)
    found = {} if compression is None else {PRODUCER_COMPRESSION.key: compression.value}
    transforms = resolver.family(TRANSFORMS.key)
    wrong = check_transforms({name: one.value for name, one in transforms.items()})
    if wrong is not None:
        name, text = wrong
        origin = transforms[name].origin if name in transforms else None
        findings.error(origin or name, text)
    return found | {name: one.value for name, one in transforms.items()}
