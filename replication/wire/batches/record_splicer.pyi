from collections.abc import Callable

class RecordSplicer:
    plain_bytes: int
    def __init__(
        self,
        limit_bytes: int,
        unpack: Callable[[bytes, int, int], bytes],
        on_batch: Callable[[bytearray, int, tuple[tuple[int, int, int], ...]], None],
        most_plain_bytes: int,
    ) -> None: ...
    def extend(self, data: bytes | bytearray | memoryview, position: int) -> int: ...
    def close(self) -> None: ...
