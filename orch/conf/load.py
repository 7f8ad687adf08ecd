"""Builds the options of one process; there is no global ``CONF``."""

import collections.abc

from oslo_config import cfg
from oslo_log import log

from orch.conf import opts

PROJECT = "orch"


def load(
    args: collections.abc.Sequence[str],
    files: collections.abc.Sequence[str] | None = None,
    prog: str | None = None,
) -> cfg.ConfigOpts:
    """Return options read from the command line and from files.

    :param args: command line without the program's name
    :param files: read these; ``None`` looks in the usual places
        (``/etc/orch/orch.conf``, ``~/.orch/orch.conf``), unless the command
        line itself names files with ``--config-file``
    :param prog: name of the program in its help text
    :raises oslo_config.cfg.Error: a file is missing or a value is wrong
    :raises SystemExit: the command line is wrong, or asked for help
    """
    conf = cfg.ConfigOpts()
    log.register_options(conf)
    opts.register(conf)
    conf(
        list(args),
        project=PROJECT,
        prog=prog,
        default_config_files=None if files is None else list(files),
    )
    _read_all(conf)
    return conf


def _read_all(conf: cfg.ConfigOpts) -> None:
    """Read each option once: oslo.config checks a value when it is read."""
    for group, options in opts.list_opts():
        section = conf if group == "DEFAULT" else conf[group]
        for option in options:
            section[option.dest]
