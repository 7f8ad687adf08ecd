"""What lies outside of this repository: published facts, and cases.

It stands beside the checkout, or where the variable ``ORCH_SHARED`` says. A
test that needs what is not there is skipped.
"""

import os
import pathlib
import typing

_HERE: typing.Final = pathlib.Path(__file__).parents[2]

ROOT: typing.Final = _HERE / os.environ.get("ORCH_SHARED", "../shared")
SPEC: typing.Final = ROOT / "spec"
TYPES: typing.Final = SPEC / "resource-types"
CONFORMANCE: typing.Final = ROOT / "conformance"
CASES: typing.Final = CONFORMANCE / "hot"


def missing(path: pathlib.Path) -> str:
    """Return why a test is skipped."""
    return f"{path} is not there; ORCH_SHARED names the folder it is in"
