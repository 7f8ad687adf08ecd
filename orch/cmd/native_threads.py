"""Prevent imports of eventlet in the process.

Several libraries import eventlet just because it is installed, and
oslo.service takes it as its backend unless told otherwise. We have native
threads. This must run before any of those libraries is imported, which is
why ``orch.cmd`` runs it when the package is imported.
"""

import collections.abc
import importlib.machinery
import sys
import types

from oslo_service import backend

_REFUSED = "eventlet"


class _Refusal:
    """An import finder that reports eventlet as missing."""

    @staticmethod
    def find_spec(
        name: str,
        path: collections.abc.Sequence[str] | None = None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        """Find nothing, and refuse eventlet."""
        if name.partition(".")[0] == _REFUSED:
            raise ModuleNotFoundError(
                f"{name} is not loaded: Orch runs on native threads", name=name
            )
        return None


def block_eventlet() -> None:
    """Let no later import bring eventlet in; a second call does nothing."""
    if _Refusal not in sys.meta_path:
        sys.meta_path.insert(0, _Refusal)
    backend.register_backend_default_hook(_choose)


def _choose() -> backend.BackendType:
    return backend.BackendType.THREADING
