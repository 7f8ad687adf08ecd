"""Loads the modules that the script writes."""

import types


def load(text: str) -> types.ModuleType:
    """Return a module of a source, which no other module can import."""
    module = types.ModuleType("written")
    exec(compile(text, "written", "exec"), module.__dict__)
    return module
