"""Tests of Orch; ``tests.unit`` mirrors the package, file by file.

The import below chooses native threads, as each command does, before any
test module makes a library choose for itself.
"""

import orch.cmd  # noqa: F401 - see above
