"""The built-in transforms, and the closest equivalents of Kafka Connect's own."""

from collections.abc import Callable, Mapping

from replication.domain.batches.record import Record
from replication.domain.errors import InvalidPatternError
from replication.domain.identifiers import TopicPartition
from replication.domain.patterns.linear_pattern import compile_java
from replication.domain.settings.registry.flow import POLICY_TEMPLATE
from replication.domain.settings.registry.records import TRANSFORMS_MAX_BYTES
from replication.domain.transforms.contract import (
    OpensContent,
    Transform,
    TransformError,
    TransformFactory,
    TransformSettingsError,
)
from replication.domain.transforms.json_fields import drop_field, mask_field, set_field
from replication.domain.transforms.record_parts import DropHeader, Filter, InsertHeader
from replication.domain.transforms.settings import TransformSettings

BUILT_IN: Mapping[str, TransformFactory] = {
    "mask_field": mask_field,
    "set_field": set_field,
    "drop_field": drop_field,
    "insert_header": InsertHeader,
    "drop_header": DropHeader,
    "filter": Filter,
}
_SHOWING = frozenset({"insert_header", "filter"})
ENTRY_POINTS = "srm.transforms"
PlugIns = Mapping[str, Callable[[], TransformFactory]]  # by type; called when one is wanted

_NO_ROUTING = f"transforms never change topic names; use {POLICY_TEMPLATE} for that"
_NEAREST = {
    "MaskField": "mask_field",
    "ReplaceField": "drop_field",
    "InsertField": "set_field",
    "InsertHeader": "insert_header",
    "DropHeaders": "drop_header",
    "Filter": "filter",
    "RegexRouter": _NO_ROUTING,
    "TimestampRouter": _NO_ROUTING,
}


def hides(kind: str) -> bool:
    """True when a transform may be there to keep content from the target; of a plug-in this is unknown."""
    return kind not in _SHOWING


class NamedTransform:
    """A transform of a flow: limited to its topics, and its failures named."""

    def __init__(self, settings: TransformSettings, transform: Transform, max_bytes: int) -> None:
        """Raises TransformSettingsError for a pattern of topics that cannot be read."""
        self._max_bytes = max_bytes
        self.name = settings.name
        self._transform = transform
        self._is_meant: dict[str, bool] = {}
        try:
            self._topics = None if settings.topics is None else compile_java(settings.topics)
        except InvalidPatternError as error:
            raise TransformSettingsError(f"transforms.{settings.name}.topics: {error.text}") from error

    def is_meant_for(self, topic: str) -> bool:
        """Decided once per topic."""
        if topic not in self._is_meant:
            self._is_meant[topic] = self._topics is None or self._topics.matches(topic)
        return self._is_meant[topic]

    def apply(self, upstream: TopicPartition, record: Record) -> Record | None:
        """Like `Transform.apply`; any exception of a plug-in becomes a TransformError."""
        self._check_size(record)
        try:
            made = self._transform.apply(upstream, record)
        except TransformError as error:
            raise TransformError(f"transform {self.name!r}: {error.text}") from error
        except Exception as error:  # a plug-in's own
            # without its text, which may quote the record: refusals are logged, shown and written down on the target
            raise TransformError(f"transform {self.name!r} failed with {type(error).__name__}") from error
        if made is not None and made.offset != record.offset:
            raise TransformError(f"transform {self.name!r} changed the offset of the record")
        return made

    def _check_size(self, record: Record) -> None:
        transform = self._transform
        opened = transform.opened(record) if isinstance(transform, OpensContent) else (record.key, record.value)
        largest = max((len(part) for part in opened if part is not None), default=0)
        if largest > self._max_bytes:
            raise TransformError(
                f"transform {self.name!r}: it would open {largest} bytes, more than {TRANSFORMS_MAX_BYTES} allows "
                f"({self._max_bytes})"
            )


def make_transform(
    settings: TransformSettings, plug_ins: PlugIns, max_bytes: int = TRANSFORMS_MAX_BYTES.default
) -> NamedTransform:
    """Raises TransformSettingsError with the setting and the remedy."""
    where = f"transforms.{settings.name}"
    if settings.type not in BUILT_IN and settings.type not in plug_ins:
        raise TransformSettingsError(f"{where}.type: {_unknown(settings.type, plug_ins)}")
    try:
        factory = BUILT_IN.get(settings.type) or plug_ins[settings.type]()
        transform = factory(dict(settings.options))
    except ValueError as error:
        text = f"{where} ({settings.type}): {error}; correct it in the flow's settings"
        raise TransformSettingsError(text) from error
    except Exception as error:  # a plug-in's own
        text = f"{where} ({settings.type}) cannot be made: {type(error).__name__}: {error}"
        raise TransformSettingsError(text) from error
    return NamedTransform(settings, transform, max_bytes)


def check_built_in(settings: TransformSettings) -> None:
    """Raises TransformSettingsError for what is wrong on any machine; another type may be a plug-in of the drivers."""
    if settings.type in BUILT_IN or "." in settings.type:
        make_transform(settings, {})


def _unknown(kind: str, plug_ins: PlugIns) -> str:
    known = ", ".join(sorted({*BUILT_IN, *plug_ins}))
    if "." not in kind:
        return f"there is no transform {kind!r}; known are {known}"
    nearest = _NEAREST.get(kind.rpartition(".")[2].partition("$")[0])
    if nearest == _NO_ROUTING:
        return f"the Java class {kind} cannot be loaded here, and {nearest}"
    if nearest is not None:
        return f"the Java class {kind} cannot be loaded here; the nearest equivalent is {nearest}"
    return (
        f"the Java class {kind} cannot be loaded here and has no equivalent; known are {known}, "
        f"and a Python plug-in may be installed under the entry point group {ENTRY_POINTS}"
    )
