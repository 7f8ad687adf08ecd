import io
import logging
import typing

from oslo_config import cfg
from oslo_log import log

from orch.cmd import log_lines
from tests import base

_FORGED = "2026-11-22 00:00:00.000 1 INFO orch.forged admin logged in"
_CANARIES = [
    f"eve{end}{_FORGED}"
    for end in ("\n", "\r\n", "\r", "\x0b", "\x1b[2K", "\x85", "\u2028", "\0")
]


class _Named:
    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


class LogLinesTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        factory, root = logging.getLogRecordFactory(), logging.getLogger()
        self.addCleanup(logging.setLogRecordFactory, factory)
        self.addCleanup(setattr, root, "handlers", list(root.handlers))
        self.addCleanup(root.setLevel, root.level)
        conf = cfg.ConfigOpts()
        log.register_options(conf)
        conf([], default_config_files=[], default_config_dirs=[])
        log_lines.start_log(conf, "orch-test")
        self.output = io.StringIO()
        (handler,) = root.handlers
        typing.cast("logging.StreamHandler[io.StringIO]", handler).setStream(
            self.output
        )

    def lines(self) -> list[str]:
        """Return what was written, as whatever reads a log divides it."""
        return self.output.getvalue().splitlines()

    def assert_not_forged(self) -> None:
        for each in self.lines():
            self.assertFalse(each.startswith(_FORGED), each)
            self.assertTrue(each.isprintable(), each)

    def test_an_error_that_is_being_handled_is_not_added(self) -> None:
        try:
            raise RuntimeError("canary-8d2f")
        except RuntimeError:
            logging.warning("a word")
            logging.exception("a traceback")

        first, *others = self.lines()
        self.assertTrue(first.endswith("a word"), first)
        self.assertIn("canary-8d2f", "".join(others))

    def test_what_is_logged_stays_in_its_line(self) -> None:
        for canary in _CANARIES:
            logging.error("User %s not found", canary)
            logging.error("%r and %s", canary, _Named(canary))
            logging.error(f"GET {canary}")  # noqa: G004 - libraries do
            logging.warning("by name: %(name)s", {"name": canary})
            log.getLogger("orch.test").error("by an adapter: %s", canary)

        self.assert_not_forged()
        self.assertEqual(5 * len(_CANARIES), len(self.lines()))

    def test_a_traceback_keeps_its_lines(self) -> None:
        for canary in _CANARIES:
            try:
                raise RuntimeError(canary)
            except RuntimeError:
                logging.exception("it failed")
                logging.warning("it may fail again")

        self.assert_not_forged()
        self.assertGreater(len(self.lines()), 4 * len(_CANARIES))

    def test_what_can_be_printed_is_as_it_was_written(self) -> None:
        logging.error("Zoë's café: %s", r"C:\temp")

        (line,) = self.lines()
        self.assertTrue(line.endswith(r"Zoë's café: C:\temp"), line)
