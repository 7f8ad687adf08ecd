"""Read the environment of the installation from a worker's disk.

What it means is the business of :mod:`orch.template.environment.installation`.
"""

import collections.abc
import pathlib
from urllib import parse
from urllib import request

from oslo_config import cfg

from orch import errors
from orch.template import inputs
from orch.template.environment import installation

SHIPPED = pathlib.Path(__file__).parent / "environment.d"
"""The environments that come with Orch."""


class EnvironmentBroken(errors.OrchError):
    """The environment of the installation is wrong; no worker can start."""

    code = "orch.engine.environment_broken"


def read_environment(
    conf: cfg.ConfigOpts, limits: inputs.Limits
) -> installation.Installation:
    """Return the merged environment of Orch and of the operator.

    :raises EnvironmentBroken: one is wrong, or cannot be read
    """
    named = conf.environment_dir
    directories = [SHIPPED, *([pathlib.Path(named)] if named else [])]
    try:
        texts = {
            path.absolute().as_uri(): path.read_text(encoding="utf-8")
            for directory in directories
            for path in _files(directory)
        }
        return installation.read_installation(texts, _fetch, limits)
    except (OSError, UnicodeError) as error:
        raise EnvironmentBroken(
            f"environment_dir cannot be read: {error}"
        ) from error
    except errors.Invalid as error:
        raise EnvironmentBroken(_messages_of(error)) from error


def _files(
    directory: pathlib.Path,
) -> collections.abc.Iterable[pathlib.Path]:
    """Return the environments in a directory, in the order of their names.

    :raises OSError: the directory does not exist
    """
    return sorted(
        path
        for path in directory.iterdir()
        if path.suffix == ".yaml" and path.is_file()
    )


def _fetch(url: str) -> str:
    path = request.url2pathname(parse.urlsplit(url).path)
    return pathlib.Path(path).read_text(encoding="utf-8")


def _messages_of(error: errors.Invalid) -> str:
    """Return all problems of an environment, each with its place."""
    return "the environment of the installation is wrong: " + "; ".join(
        f"{one.file}, line {one.line}, column {one.column}:"
        f" {' '.join(one.message.split())}"
        for one in error.problems
    )
