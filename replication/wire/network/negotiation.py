"""Protocol versions for requests that encode themselves: the newest that the broker and we both know.

kafka-python asks each broker with ApiVersions (KIP-35) and picks a version when it sends a request that has none yet;
these attributes are what it reads.
"""

from typing import ClassVar


class NegotiatedRequest:
    """A request in one of the versions from `min_version` to the newest one it is made with."""

    API_KEY: ClassVar[int]
    name: ClassVar[str]
    min_version: ClassVar[int]
    _max_version: int | None = None
    _min_version: int | None = None

    def __init__(self, newest: int) -> None:
        self.max_version = newest
        self.API_VERSION: int | None = None

    @property
    def version(self) -> int:
        """The version chosen, once the request is on its way."""
        if self.API_VERSION is None:
            raise RuntimeError(f"{self.name} was not sent yet")
        return self.API_VERSION

    def __str__(self) -> str:
        return f"{self.name}(version={self.API_VERSION})"
