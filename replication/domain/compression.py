"""Compression codecs of record batches, and what a flow wants of them."""

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


def read_compression(text: str) -> CodecName | None:
    """What `srm.compression` says; None keeps each batch's own codec. Raises ValueError with the choices."""
    if text == KEEP:
        return None
    for name in CODEC_NAMES:
        if name == text:
            return name
    raise ValueError(f"must be one of {KEEP}, {', '.join(CODEC_NAMES)}, not {text!r}")
