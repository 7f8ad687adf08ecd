"""Rows of text, printed in columns."""

import collections.abc


def show_rows(rows: collections.abc.Sequence[tuple[str, ...]]) -> None:
    """Print rows in columns that are as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.ljust(width) for cell, width in zip(row, widths, strict=True)
        )
        print("  ".join(cells).rstrip())
