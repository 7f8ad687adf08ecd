import configparser
import pathlib
import re
import typing

from packaging import requirements
from packaging import utils

import orch
from tests import base

_ROOT: typing.Final = pathlib.Path(orch.__file__).parents[1]
_PIN: typing.Final = re.compile(r"^([\w.-]+)==(\S+)(?: ;[^\\\n]*)? \\$", re.M)
_HASH: typing.Final = re.compile(r"--hash=sha256:[0-9a-f]{64}(?: \\)?")


def pins(name: str) -> dict[str, tuple[str, frozenset[str]]]:
    """Return version and hashes of each distribution in a lock."""
    text = (_ROOT / name).read_text()
    found = list(_PIN.finditer(text))
    ends = [*(each.start() for each in found[1:]), len(text)]
    return {
        utils.canonicalize_name(each[1]): (
            each[2],
            frozenset(
                _HASH.findall(text[each.end() : end].replace(" \\", ""))
            ),
        )
        for each, end in zip(found, ends, strict=True)
    }


class LockTest(base.TestCase):
    def test_each_distribution_has_hashes_and_nothing_an_address(self) -> None:
        for name in ("requirements.lock", "test-requirements.lock"):
            text = (_ROOT / name).read_text()
            lines = [
                each.strip()
                for each in text.splitlines()
                if each and not each.startswith("#")
            ]
            self.assertEqual(
                [],
                [
                    each
                    for each in lines
                    if not (_PIN.fullmatch(each) or _HASH.fullmatch(each))
                ],
            )
            self.assertEqual(
                [],
                [key for key, (_, found) in pins(name).items() if not found],
            )

    def test_what_runs_is_what_was_tested(self) -> None:
        run, tested = pins("requirements.lock"), pins("test-requirements.lock")

        self.assertEqual(run, {key: tested.get(key) for key in run})

    def test_the_drivers_of_databases_are_locked_as_their_extras(
        self,
    ) -> None:
        setup = configparser.ConfigParser()
        setup.read(_ROOT / "setup.cfg")
        extras = [
            line
            for name in ("mysql", "postgresql")
            for line in setup["extras"][name].split()
        ]
        text = (_ROOT / "requirements-databases.txt").read_text()
        listed = [
            line for line in text.splitlines() if not line.startswith("#")
        ]

        self.assertEqual(extras, listed)
        self.assertLessEqual(
            {
                utils.canonicalize_name(requirements.Requirement(each).name)
                for each in extras
            },
            pins("requirements.lock").keys(),
        )

    def test_all_that_is_required_is_there(self) -> None:
        for lock, files in (
            ("requirements.lock", ["", "orchclient/"]),
            ("test-requirements.lock", ["test-", "contrib/orch-search-heat/"]),
        ):
            known = pins(lock)
            for prefix in files:
                path = _ROOT / f"{prefix}requirements.txt"
                for line in path.read_text().splitlines():
                    if not line or line.startswith("#"):
                        continue
                    wanted = requirements.Requirement(line)
                    version, _ = known[utils.canonicalize_name(wanted.name)]
                    self.assertIn(version, wanted.specifier, line)

    def test_tox_builds_nothing_with_what_has_no_hash(self) -> None:
        """As packages do that it builds itself, apart from the others."""
        tox = configparser.ConfigParser(interpolation=None)
        tox.read(_ROOT / "tox.ini")
        packages = {
            name: tox[name]["package"]
            for name in tox.sections()
            if "package" in tox[name]
        }

        self.assertEqual({"testenv": "skip"}, packages)
        before = tox["testenv"]["commands_pre"]
        self.assertIn("--no-deps --no-build-isolation", before)
        self.assertIn("--editable {tox_root} ", before)
        self.assertIn("--editable {tox_root}/orchclient", before)
