"""Decides when an offset sync is due: MirrorMaker 2's rule (`OffsetSyncWriter.PartitionState`), for whole batches."""


class OffsetSyncRule:
    """The state of one source partition for the life of a task.

    A batch maps `length` upstream offsets to as many downstream ones. Per batch at most two syncs come out: the one a
    jump demands, and the newest one that staleness demands; those between would be replaced before they are read.
    """

    __slots__ = ("_last_sync_downstream", "_offset_lag_max", "_previous_downstream", "_previous_upstream", "_tail")

    def __init__(self, offset_lag_max: int) -> None:
        self._offset_lag_max = offset_lag_max
        self._previous_upstream = -1
        self._previous_downstream = -1
        self._last_sync_downstream: int | None = None
        self._tail: tuple[int, int] | None = None

    def follow(self, offset_lag_max: int) -> None:
        """Judge staleness by another limit from the next batch on."""
        self._offset_lag_max = offset_lag_max

    def begin_again(self) -> None:
        """The syncs until now were not written: one is due with the next batch."""
        self._last_sync_downstream = None

    def on_batch(self, upstream: int, downstream: int, length: int) -> list[tuple[int, int]]:
        """The (upstream, downstream) pairs to emit after this batch was acknowledged."""
        last_upstream, last_downstream = upstream + length - 1, downstream + length - 1
        upstream_jumped = upstream - self._previous_upstream != 1
        downstream_went_back = downstream < self._previous_downstream
        last_sync = self._last_sync_downstream
        due: list[tuple[int, int]] = []
        if last_sync is None or upstream_jumped or downstream_went_back:
            due.append((upstream, downstream))
            last_sync = downstream
        step = self._offset_lag_max + 1
        first_stale = max(last_sync + step, downstream)
        if first_stale <= last_downstream:
            last_sync = first_stale + (last_downstream - first_stale) // step * step
            due.append((upstream + last_sync - downstream, last_sync))
        self._last_sync_downstream = last_sync
        self._previous_upstream, self._previous_downstream = last = last_upstream, last_downstream
        self._tail = None if due and due[-1] == last else last
        return due

    def tail(self) -> tuple[int, int] | None:
        """The last record not yet synced, for the periodic commit of a quiet partition; answered once."""
        tail, self._tail = self._tail, None
        return tail
