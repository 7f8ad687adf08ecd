"""A section of the configuration file, and the options in it."""

from oslo_config import cfg

DEFAULT = "DEFAULT"


class Section:
    """Options of one section, for the processes and the sample generator."""

    def __init__(self, name: str, title: str | None, *options: cfg.Opt):
        """Take the options.

        :param title: of the section; ``None`` for :data:`DEFAULT`, which
            oslo.config knows already
        """
        self.name = name
        self.title = title
        self.options = options

    def register(self, conf: cfg.ConfigOpts) -> None:
        """Make the options known to ``conf``."""
        if self.title is None:
            conf.register_opts(self.options)
            return
        # A group of its own: oslo.config keeps what is set in the group
        # object, and a copy shares it with all other ConfigOpts.
        conf.register_group(cfg.OptGroup(self.name, title=self.title))
        conf.register_opts(self.options, group=self.name)
