"""Compression codecs of record batches."""

from typing import Final, Literal, get_args

CodecName = Literal["none", "gzip", "snappy", "lz4", "zstd"]

NONE: Final = 0
GZIP: Final = 1
SNAPPY: Final = 2
LZ4: Final = 3
ZSTD: Final = 4

CODEC_NAMES: tuple[CodecName, ...] = get_args(CodecName)  # in the order of their ids (`CompressionType`)
KEEP: Final = "keep"


def codec_id(name: CodecName) -> int:
    """The number in the lowest three bits of a batch's attributes."""
    return CODEC_NAMES.index(name)


def parse_compression(text: str) -> CodecName | None:
    """Return the codec of this name; None for `keep`, which keeps each batch's own. Raises ValueError."""
    wanted = text.lower()
    if wanted == KEEP:
        return None
    for name in CODEC_NAMES:
        if name == wanted:
            return name
    raise ValueError(f"{text!r} is not a codec")
