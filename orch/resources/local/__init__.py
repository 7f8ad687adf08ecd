"""Types that act on the worker's machine, inside one allowed directory."""
