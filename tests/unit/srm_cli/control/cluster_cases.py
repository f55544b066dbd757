"""Calls of `srm-control` that work on the target cluster without a service; CONFIG stands for a file."""

CONFIG = """
clusters = us-east, eu
us-east.bootstrap.servers = u:1
eu.bootstrap.servers = e:1
eu.security.protocol = PLAINTEXT
us-east->eu.enabled = true
"""
_KINDS = ("topics", "groups", "reverse-checkpointed-topics")
_CLIENTS = (
    "--bootstrap-servers e:1 --props client.rack=r --producer-props linger.ms=1 --consumer-props fetch.min.bytes=2"
)

LIST_CALLS = [
    f"{kind} --source us-east --target eu {rest}"
    for kind in _KINDS
    for rest in (f"--add x --list {_CLIENTS}", "--add x --list --config CONFIG --dialect srm")
]
READING_CALLS = [
    f"{command} --source us-east --target eu {where} -o {name}"
    for command in ("offsets --export --group g1,g2", "gaps --topic orders")
    for where in ("--bootstrap-servers e:1 --props client.rack=r", "--config CONFIG --dialect mm2")
    for name in ("table", "json", "yaml", "csv")
]
OFFSETS_TO_FILE = "offsets --source us-east --target eu --export --group g1 --bootstrap-servers e:1 --to FILE"
OFFSETS_OF_ALL = "offsets --source us-east --target eu --export --all --bootstrap-servers e:1"
OFFSETS_WITH_SEPARATOR = f"{OFFSETS_OF_ALL} --separator _"
CALLS = [OFFSETS_OF_ALL, OFFSETS_WITH_SEPARATOR, *LIST_CALLS, *READING_CALLS, OFFSETS_TO_FILE]
