"""Runs all checks of the house: ``python -m tools.house``."""

import gc
import sys

from tools.house import first_lines
from tools.house import prose
from tools.house import retired_words
from tools.house import shapes


def main() -> int:
    """Run each check, so that one failure does not hide another."""
    # All trees are kept to the end: to look for garbage among them takes
    # longer than all checks.
    gc.disable()
    codes = [
        retired_words.main([]),
        first_lines.main(),
        prose.main(),
        shapes.main(),
    ]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
