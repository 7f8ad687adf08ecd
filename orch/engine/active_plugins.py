"""The lifecycle plug-ins of a worker, and whether they are those in force.

Number and fingerprint of those in force are one row of the database. The
worker looks at it, and at its settings file, every few seconds.
"""

import collections.abc
import logging
import pathlib
import typing

from oslo_config import cfg

from orch import errors
from orch import periodic
from orch.db import engine as db_engine
from orch.db.repositories import plugin_settings as stored
from orch.model import plugin_settings
from orch.plugin import lifecycle_fingerprint
from orch.plugin import lifecycle_loading
from orch.plugin import lifecycle_order

LOG = logging.getLogger(__name__)

LOOK_S: typing.Final = 2.0
"""Seconds between two looks at the row and at the settings file."""


class Outdated(errors.AskAnother):
    """The worker has other plug-in settings than those in force."""

    code = "orch.lifecycle.outdated"


class FixedPlugins:
    """Lifecycle plug-ins that are always those in force.

    :ivar order: the plug-ins
    :ivar number: of the plug-in settings in force
    """

    number: int = 0

    def __init__(
        self, order: lifecycle_order.PluginOrder = lifecycle_order.NO_PLUGINS
    ) -> None:
        self.order = order

    def check_active(self) -> None:
        """Return: they are."""


class _Loaded(typing.NamedTuple):
    """Plug-ins that were loaded, and their fingerprint."""

    order: lifecycle_order.PluginOrder
    fingerprint: str


class _State(typing.NamedTuple):
    """The plug-ins that a worker calls, and their number."""

    loaded: _Loaded
    number: int


class ActivePlugins:
    """Loads the plug-ins of a worker, and follows the ones in force."""

    def __init__(
        self,
        conf: cfg.ConfigOpts,
        database: db_engine.Database,
        notify: collections.abc.Callable[[], None],
        *,
        is_alone: bool,
    ) -> None:
        """Load what is installed; operations have to wait for a look.

        :param notify: called when the worker may take operations again
        :param is_alone: there can be no other worker, so that what this one
            has is put into force at its start
        :raises orch.plugin.lifecycle_order.CannotLoad: a plug-in cannot be
            used
        """
        self._conf = conf
        self._database = database
        self._notify = notify
        self._puts_into_force = is_alone
        self._file = self._read_signature()
        loaded = self._load()
        self._state = _State(loaded, plugin_settings.NOT_LOADED)
        self._found: _Loaded | None = loaded
        self._error: str | None = None
        self._told: str | None = None
        self._thread = periodic.Thread(
            "orch-plugin-settings",
            self._look,
            periodic.Failures(
                LOG,
                "which plug-in settings are in force is not known",
                "which plug-in settings are in force is known again",
                first_pause_s=LOOK_S,
            ),
        )

    @property
    def order(self) -> lifecycle_order.PluginOrder:
        """Return the plug-ins that are called."""
        return self._state.loaded.order

    @property
    def number(self) -> int:
        """Return the number of the loaded ones, which claims compare."""
        return self._state.number

    @property
    def report(self) -> plugin_settings.LoadReport:
        """Return what the worker says of its plug-in settings."""
        loaded, number = self._state
        found = self._found
        return plugin_settings.LoadReport(
            number=None if number == plugin_settings.NOT_LOADED else number,
            loaded=loaded.fingerprint,
            loadable=None if found is None else found.fingerprint,
            error=self._error,
        )

    def check_active(self) -> None:
        """Raise Outdated if the loaded plug-ins are not those in force.

        :raises Outdated: plug-ins must not be asked by this worker
        """
        active = self._database.query(stored.find)
        if active is None or active.number != self.number:
            self._thread.wake()
            in_force = "none" if active is None else f"number {active.number}"
            raise Outdated(
                "The worker that was asked has not loaded the plug-in settings"
                f" in force ({in_force}), so that it cannot ask lifecycle"
                " plug-ins. Ask again; `orch-manage lifecycle show` says which"
                " workers have them."
            )

    def start(self) -> None:
        """Look now, and follow what is in force until :meth:`stop`."""
        self._thread.run_once()
        self._thread.start(LOOK_S)

    def stop(self) -> None:
        """Look no more; a second call does nothing."""
        self._thread.stop()

    def _look(self) -> float:
        self._look_at_file()
        active = self._database.query(stored.find)
        loaded = self._state.loaded
        is_other = active is None or (
            self._puts_into_force and active.fingerprint != loaded.fingerprint
        )
        if is_other:
            active = self._database.run(self._put_into_force)
        self._puts_into_force = False
        assert active is not None
        self._follow(active)
        return LOOK_S

    def _put_into_force(
        self, connection: db_engine.Connection
    ) -> plugin_settings.PluginSettings | None:
        """Return what is in force: ours, unless another worker was first."""
        ours = self._state.loaded.fingerprint
        active = stored.find(connection)
        if active is None:
            stored.store_first(connection, ours)
        elif self._puts_into_force and active.fingerprint != ours:
            stored.activate(connection, active.number, ours)
        return stored.find(connection)

    def _follow(self, active: plugin_settings.PluginSettings) -> None:
        """Call the plug-ins that are in force, if they can be loaded."""
        number = plugin_settings.NOT_LOADED
        loaded = self._state.loaded
        for each in (loaded, self._found):
            if each is not None and each.fingerprint == active.fingerprint:
                loaded, number = each, active.number
                break
        before = self._state
        self._state = _State(loaded, number)
        trouble = plugin_settings.find_trouble(active, self.report)
        if trouble != self._told:
            self._told = trouble
            if trouble is not None:
                LOG.warning("this worker takes no operations: %s", trouble)
        if number not in (before.number, plugin_settings.NOT_LOADED):
            LOG.info("number %d of the plug-in settings is loaded", number)
            self._notify()

    def _look_at_file(self) -> None:
        """Load what the settings file says, if it has changed.

        What could not be loaded is tried again: a file that it names may be
        there now.
        """
        signature = self._read_signature()
        if signature == self._file and self._error is None:
            return
        self._file = signature
        try:
            self._found, self._error = self._load(), None
        except lifecycle_order.CannotLoad as error:
            if error.message != self._error:
                LOG.warning("the plug-in settings have changed: %s", error)
            self._found, self._error = None, error.message
            return
        LOG.info(
            "the plug-in settings have changed, and can be activated: %s",
            plugin_settings.shorten(self._found.fingerprint),
        )

    def _load(self) -> _Loaded:
        order = lifecycle_loading.load_plugins(self._conf)
        return _Loaded(order, lifecycle_fingerprint.fingerprint(order))

    def _read_signature(self) -> tuple[int, ...]:
        """Return what changes with the settings file."""
        path = self._conf.lifecycle.settings_file
        if not path:
            return ()
        try:
            found = pathlib.Path(path).stat()
        except OSError:
            return ()
        return found.st_mtime_ns, found.st_size, found.st_ino
