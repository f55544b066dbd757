"""The settings of a flow's record path that the key table cannot hold: transforms, and the producer's compression.

`producer.override.compression.type` and its relatives count only where somebody wrote them down: without, every batch
keeps the codec it has, which MirrorMaker could not offer.
"""

from replication.config.findings import Findings
from replication.config.resolve import Resolver
from replication.domain.record_settings import PRODUCER_COMPRESSION, check_transforms, read_record_settings

COMPRESSION_TYPE = "compression.type"


def read_record_keys(resolver: Resolver, findings: Findings) -> dict[str, str]:
    """Settings for the source connector; what is wrong with them is told with its line."""
    found: dict[str, str] = {}
    compression = resolver.producer_setting(COMPRESSION_TYPE)
    if compression is not None:
        found[PRODUCER_COMPRESSION] = compression.value
        try:
            read_record_settings(found, identity=False)
        except ValueError as error:
            findings.error(compression.origin or compression.name, str(error))
    transforms = resolver.family("transforms")
    wrong = check_transforms({name: one.value for name, one in transforms.items()})
    if wrong is not None:
        name, text = wrong
        origin = transforms[name].origin if name in transforms else None
        findings.error(origin or name, text)
    return found | {name: one.value for name, one in transforms.items()}
