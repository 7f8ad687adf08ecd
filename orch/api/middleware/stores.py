"""Where all API processes count together, if the operator names a store.

What speaks with a store is loaded only then: who has none needs no client of
it.
"""

import importlib
import types

from orch import errors


class BadStore(errors.Invalid):
    """Nothing can be counted where the options say."""

    code = "orch.api.bad_rate_store"


def load_store(name: str) -> types.ModuleType:
    """Return a module beside this one that needs the client of a store.

    :raises BadStore: the client is not installed
    """
    try:
        return importlib.import_module(f"orch.api.middleware.{name}")
    except ModuleNotFoundError as error:
        raise BadStore(
            "rate_store in [api] needs the Python package redis: install"
            " orch[redis]."
        ) from error
