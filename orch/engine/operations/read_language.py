"""The template language: its versions, and what each of them knows."""

from orch.engine import errors
from orch.template import catalogue
from orch.template import versions as language


def versions() -> list[dict[str, object]]:
    """Return the versions: version, type, aliases."""
    return language.listing()


def functions(version: str, with_condition_func: bool) -> list[dict[str, str]]:
    """Return the functions that a version knows, with descriptions.

    :raises orch.engine.errors.VersionNotFound: there is no such version
    """
    found = language.find_named(version)
    if found is None:
        raise errors.VersionNotFound(
            f"Template with version {version[:255]} not found"
        )
    return catalogue.listing(found, with_condition_func)
