"""The environment of the installation, under Heat's name."""

from oslo_config import cfg

OPTIONS = (
    cfg.StrOpt(
        "environment_dir",
        help="Directory of environment files that hold below the environment"
        " of every stack. Those whose names end in .yaml are read in the"
        " order of their names when a worker starts, upon those that come"
        " with Orch. Set it to map"
        " resource types for all users; all workers should have the same"
        " files. Without it only what comes with Orch holds.",
    ),
)


def register(conf: cfg.ConfigOpts) -> None:
    """Make the option known to ``conf``."""
    conf.register_opts(OPTIONS)


def list_opts() -> list[tuple[str, list[cfg.Opt]]]:
    """Return the option for the sample generator."""
    return [("DEFAULT", list(OPTIONS))]
