from collections.abc import Callable

class RecordSplicer:
    def __init__(
        self,
        limit_bytes: int,
        unpack: Callable[[bytes, int], bytes],
        on_batch: Callable[[bytearray, int, tuple[tuple[int, int, int], ...]], None],
    ) -> None: ...
    def extend(self, data: bytes | bytearray | memoryview, position: int) -> None: ...
    def close(self) -> None: ...
