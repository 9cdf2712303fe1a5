"""A reader of the protobuf wire format: just enough for ONNX, and no byte of a weight is touched.

The file is mapped, not read, and a length-delimited field is given as a range of it. So a model of hundreds
of megabytes costs what its graph costs.
"""

import mmap

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class WireError(ValueError):
    """The bytes are no protobuf message."""


def mapped(path):
    """The bytes of `path`, mapped; an empty file, which cannot be mapped, as empty bytes."""
    with open(path, "rb") as file:
        if not file.seek(0, 2):
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def varint(source, at, end):
    """The integer at `at` and the place behind it."""
    value = shift = 0
    while at < end and shift < 64:
        byte = source[at]
        at += 1
        if byte < 128:
            return value | byte << shift, at
        value |= (byte & 127) << shift
        shift += 7
    raise WireError(f"a number at byte {at} has no end")


def fields(source, at, end):
    """Yields (field number, wire type, value): an integer, or for BYTES its range (begin, end)."""
    while at < end:
        tag, at = varint(source, at, end)
        kind = tag & 7
        if kind == VARINT:
            value, at = varint(source, at, end)
        elif kind == BYTES:
            size, begin = varint(source, at, end)
            at = begin + size
            value = (begin, at)
        elif kind in (FIXED64, FIXED32):
            begin, at = at, at + (8 if kind == FIXED64 else 4)
            value = (begin, at)
        else:
            raise WireError(f"wire type {kind} at byte {at}")
        if at > end:
            raise WireError(f"field {tag >> 3} ends at byte {at}, behind its message's end {end}")
        yield tag >> 3, kind, value


def packed(source, kind, value):
    """The integers of a repeated field, packed or not."""
    if kind == VARINT:
        return [value]
    at, end = value
    numbers = []
    while at < end:
        number, at = varint(source, at, end)
        numbers.append(number)
    return numbers


def signed(number):
    """A varint as the int64 that it stands for."""
    return number - (1 << 64) if number >> 63 else number
