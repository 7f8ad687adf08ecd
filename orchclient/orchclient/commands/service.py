"""``service list`` and ``build info``: commands about the service itself."""

import argparse

from orchclient.commands import base
from orchclient.console import formatting


class ServiceList(base.Lister):
    """List the processes of the service; for operators."""

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them."""
        rows = (
            (
                each.id,
                each.binary,
                each.host,
                each.topic,
                "up" if each.is_up else "down",
                formatting.time_text(each.updated_at),
            )
            for each in self.client.services.list()
        )
        return ("ID", "Binary", "Host", "Topic", "State", "Heard of"), rows


class BuildInfo(base.ShowOne):
    """Show which revisions run."""

    def take_action(self, parsed_args: argparse.Namespace) -> base.Facts:
        """Return those of the API and of a worker."""
        found = self.client.services.revisions()
        return ("api", "engine"), (found.api, found.engine)
