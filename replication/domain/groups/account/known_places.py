"""The evidence around an offset, for people: which run, position or offset sync says where it is."""

from dataclasses import dataclass

from replication.domain.offsets.copied_log import DISTRUSTED
from replication.domain.offsets.run_chain import RunCut


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPlaces:
    """Pairs of offsets next to an upstream offset: by offset runs on both sides, the position, and the last sync."""

    before: RunCut | None = None
    behind: RunCut | None = None
    position: RunCut | None = None
    sync: RunCut | None = None

    def text(self, source: str, target: str) -> str:
        """Return the pairs in words."""
        parts = []
        if self.before is not None and self.before == self.behind:
            parts.append(f"an offset run has {source} {_pair(self.before, target)}")
        else:
            if self.before is not None:
                parts.append(f"the runs before it end with {source} {_pair(self.before, target)}")
            if self.behind is not None:
                parts.append(f"the runs behind it begin with {source} {_pair(self.behind, target)}")
        if self.position is not None and self.position.downstream != DISTRUSTED:
            parts.append(f"the flow has copied {source} up to {_pair(self.position, target)}")
        if self.sync is not None:
            parts.append(f"the last offset sync has {source} {_pair(self.sync, target)}")
        return "; ".join(parts) or "no offset run, position or offset sync is next to it"


def _pair(cut: RunCut, target: str) -> str:
    return f"{cut.upstream} at {target} {cut.downstream}"
