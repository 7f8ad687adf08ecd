"""Sets of small whole numbers as bits: one Python integer a set.

On disk a set is cut into chunks; of one with few numbers they are listed, of
one with many each has a bit. Sets in memory are integers, so that what two
sets have in common, and how many that are, takes microseconds.
"""

import array
import collections.abc
import sys
import typing

SHIFT: typing.Final = 14
CHUNK: typing.Final = 1 << SHIFT
"""How many numbers a chunk is about."""

_BYTES = CHUNK // 8
_LISTED = 128
_FLAGS = bytes.maketrans(b"01", b"\0\1")


def encode(bits: int) -> bytes:
    """Return a chunk as it is stored; its numbers begin at 0."""
    if bits.bit_count() > _LISTED:
        return bits.to_bytes(_BYTES, "little")
    return _swapped(array.array("H", numbers(bits))).tobytes()


def encode_numbers(found: collections.abc.Collection[int]) -> bytes:
    """Return a chunk of these numbers, none of them twice, as it is stored."""
    if len(found) > _LISTED:
        return encode(bits_of(found))
    return _swapped(array.array("H", sorted(found))).tobytes()


def with_numbers(stored: bytes, added: list[int]) -> bytes:
    """Return a stored chunk with these numbers too.

    :param stored: empty where the chunk had no number
    """
    if len(stored) == _BYTES:
        return encode(decode(stored) | bits_of(added))
    return encode_numbers({*listed_numbers(stored), *added})


def without_numbers(stored: bytes, taken: list[int]) -> bytes:
    """Return a stored chunk without these numbers; empty without any."""
    if len(stored) == _BYTES:
        return encode(decode(stored) & ~bits_of(taken))
    return encode_numbers(set(listed_numbers(stored)).difference(taken))


def decode(stored: bytes) -> int:
    """Return a stored chunk as a set."""
    if len(stored) == _BYTES:
        return int.from_bytes(stored, "little")
    return bits_of(listed_numbers(stored))


def is_listed(stored: bytes) -> bool:
    """Return whether a stored chunk lists its numbers."""
    return len(stored) != _BYTES


def listed_numbers(stored: bytes) -> "array.array[int]":
    """Return the numbers of a stored chunk that lists them."""
    found = array.array("H")
    found.frombytes(stored)
    return _swapped(found)


def _swapped(found: "array.array[int]") -> "array.array[int]":
    if sys.byteorder == "big":
        found.byteswap()
    return found


def bits_of(found: collections.abc.Collection[int]) -> int:
    """Return the set of these numbers."""
    if len(found) <= 1:
        return sum(1 << each for each in found)
    signs = bytearray(b"0") * (max(found) + 1)
    for each in found:
        signs[each] = 49
    signs.reverse()
    return int(signs, 2)


def numbers(bits: int) -> list[int]:
    """Return the numbers of a set, the least first."""
    found: list[int] = []
    size = (bits.bit_length() + 63) // 64 * 8
    parts = array.array("Q")
    parts.frombytes(bits.to_bytes(size, "little"))
    if sys.byteorder == "big":
        parts.byteswap()
    for place, part in enumerate(parts):
        while part:
            lowest = part & -part
            found.append((place << 6) + lowest.bit_length() - 1)
            part ^= lowest
    return found


def join_chunks(chunks: collections.abc.Mapping[int, int]) -> int:
    """Return one set of chunks by their numbers."""
    if not chunks:
        return 0
    if len(chunks) == 1:
        ((chunk, bits),) = chunks.items()
        return bits << (chunk << SHIFT)
    empty = bytes(_BYTES)
    return int.from_bytes(
        b"".join(
            chunks[chunk].to_bytes(_BYTES, "little")
            if chunk in chunks
            else empty
            for chunk in range(max(chunks) + 1)
        ),
        "little",
    )


def cut_chunks(bits: int) -> dict[int, int]:
    """Return the chunks of a set that are not empty, by their numbers."""
    size = (bits.bit_length() + CHUNK - 1) // CHUNK
    whole = bits.to_bytes(size * _BYTES, "little")
    found = {}
    for chunk in range(size):
        part = int.from_bytes(
            whole[chunk * _BYTES : (chunk + 1) * _BYTES], "little"
        )
        if part:
            found[chunk] = part
    return found


def flags(bits: int) -> bytes:
    """Return 0 or 1 for each number of a chunk."""
    signs = f"{bits:b}".encode("ascii")[::-1].translate(_FLAGS)
    return signs.ljust(CHUNK, b"\0")
