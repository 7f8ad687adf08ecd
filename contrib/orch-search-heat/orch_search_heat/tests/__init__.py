"""Tests of the source; they use helpers of Orch's tests.

The import below chooses native threads before a library chooses for itself.
"""

import tests  # noqa: F401 - see above
