"""The resource types that act on the worker's own machine."""

from oslo_config import cfg

GROUP = cfg.OptGroup("local", title="Resources on the worker's machine")

OPTIONS = (
    cfg.BoolOpt(
        "enabled",
        default=False,
        help="Whether templates may use the types Orch::Local::File,"
        " Orch::Local::Directory and Orch::Local::Process. They act on the"
        " machine of the worker, with the rights of the worker: a user who may"
        " create a stack of them may then run any command there, and read and"
        " change what other projects have below root. Set it to true only"
        " where all these users are trusted so far, as on one's own machine,"
        " and to the same value on all workers. orch-all does so itself with"
        " [api] auth = none.",
    ),
    cfg.StrOpt(
        "root",
        default="/var/lib/orch/local",
        help="Absolute path of the one directory that files, directories and"
        " processes of stacks live in; it is made when it does not exist."
        " Nothing outside it is written or removed. Several workers must"
        " share it (a network file system), because any of them may act on"
        " any resource; processes belong to the machine that started them,"
        " so use those with one worker machine only. Change it before the"
        " first stack, not after.",
    ),
    cfg.IntOpt(
        "max_log_kib",
        default=4,
        min=1,
        max=1024,
        help="KiB, 1 to 1024, of a failed process's log that its failure"
        " reason may quote. Raise it when reasons are cut off too early.",
    ),
)


def register(conf: cfg.ConfigOpts) -> None:
    """Make the options known to ``conf``."""
    # A group of its own: oslo.config keeps values in it, and a copy shares
    # them with all other ConfigOpts.
    conf.register_group(cfg.OptGroup(GROUP.name, title=GROUP.title))
    conf.register_opts(OPTIONS, group=GROUP.name)


def list_opts() -> list[tuple[str, list[cfg.Opt]]]:
    """Return the options for the sample generator."""
    return [(GROUP.name, list(OPTIONS))]
