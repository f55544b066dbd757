"""Keys of the documentation's examples on all levels on which they work, and all ordered pairs of two levels."""

from replication.config.tree import TreeFormat

Spelling = tuple[str, str]

# the keys of the documentation's examples with all spellings that work, strongest first: level and key
WORKER_KEY = [
    ("flow", "east->west.worker.offset.flush.timeout.ms"),
    ("cluster", "west.offset.flush.timeout.ms"),
    ("workers", "workers.offset.flush.timeout.ms"),
]
STORAGE_KEY = [
    ("flow", "east->west.worker.offset.storage.replication.factor"),
    ("flow", "east->west.offset.storage.replication.factor"),
    ("cluster", "west.offset.storage.replication.factor"),
    ("workers", "workers.offset.storage.replication.factor"),
    ("global", "offset.storage.replication.factor"),
]
CONNECTOR_KEY = [
    ("flow", "east->west.sync.group.offsets.enabled"),
    ("connectors", "connectors.sync.group.offsets.enabled"),
    ("global", "sync.group.offsets.enabled"),
]
CONSUMER_KEY = [
    ("flow", "east->west.consumer.max.poll.records"),
    ("cluster", "east.consumer.max.poll.records"),
    ("connectors", "connectors.consumer.max.poll.records"),
]
PRODUCER_KEY = [
    ("flow", "east->west.producer.override.compression.type"),
    ("cluster", "west.producer.override.compression.type"),
    ("connectors", "connectors.producer.override.compression.type"),
    ("global", "producer.override.compression.type"),
]
CONNECTION_KEY = [("cluster", "east.ssl.cipher.suites"), ("global", "ssl.cipher.suites")]
REBALANCE_KEY = [
    ("flow", "east->west.worker.scheduled.rebalance.max.delay.ms"),
    ("cluster", "west.scheduled.rebalance.max.delay.ms"),
    ("workers", "workers.scheduled.rebalance.max.delay.ms"),
]
EXAMPLES: dict[tuple[str, str, TreeFormat], list[Spelling]] = {
    ("worker", "offset.flush.timeout.ms", "srm"): WORKER_KEY,
    ("worker", "scheduled.rebalance.max.delay.ms", "srm"): REBALANCE_KEY,
    ("worker", "offset.storage.replication.factor", "srm"): STORAGE_KEY,
    ("flow", "sync.group.offsets.enabled", "srm"): CONNECTOR_KEY,
    ("consumer", "max.poll.records", "srm"): CONSUMER_KEY,
    ("producer", "compression.type", "mm2"): [PRODUCER_KEY[0], PRODUCER_KEY[1], PRODUCER_KEY[3]],
    ("producer", "compression.type", "srm"): PRODUCER_KEY[:3],
    ("consumer", "ssl.cipher.suites", "srm"): CONNECTION_KEY,
    ("source-admin", "ssl.cipher.suites", "srm"): CONNECTION_KEY,
}
PAIRS: list[tuple[str, str, TreeFormat, Spelling, Spelling, bool]] = [
    (*example, stronger, weaker, turned)
    for example, spellings in EXAMPLES.items()
    for at, stronger in enumerate(spellings)
    for weaker in spellings[at + 1 :]
    for turned in (False, True)
]
