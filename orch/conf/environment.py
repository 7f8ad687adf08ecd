"""The environment of the installation, under Heat's name."""

from oslo_config import cfg

from orch.conf import section

SECTION = section.Section(
    section.DEFAULT,
    None,
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
