"""The resource types that act on the worker's own machine."""

from oslo_config import cfg

from orch.conf import section

SECTION = section.Section(
    "local",
    "Resources on the worker's machine",
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
