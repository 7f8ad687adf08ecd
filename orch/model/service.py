"""A service: one process of Orch that reports that it is alive."""

import dataclasses

from orch import clock
from orch import ids
from orch.model import plugin_settings


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What a process says of itself, and when it last said so.

    :ivar report_interval_s: seconds between its reports; it counts as down
        after twice that
    :ivar settings_number: of the plug-in settings in force, if it has loaded
        them; this and the next three are what
        :class:`orch.model.plugin_settings.LoadReport` says
    """

    id: ids.WorkerId
    host: str
    binary: str
    topic: str
    report_interval_s: int
    created_at: clock.Timestamp
    updated_at: clock.Timestamp
    settings_number: int | None = None
    settings_loaded: str | None = None
    settings_loadable: str | None = None
    settings_error: str | None = None

    @property
    def load_report(self) -> plugin_settings.LoadReport:
        """Return what it says of its plug-in settings."""
        return plugin_settings.LoadReport(
            self.settings_number,
            self.settings_loaded,
            self.settings_loadable,
            self.settings_error,
        )
