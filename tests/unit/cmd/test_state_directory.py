import contextlib
import io
import pathlib

from orch.cmd import process
from orch.cmd import state_directory
from tests import base
from tests.support import foreign


class LockDirectoryTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.directory = self.make_directory() / "a" / "b"

    def test_a_state_directory_is_made_for_its_owner_alone(self) -> None:
        with state_directory.lock_directory(self.directory):
            self.assertEqual(0o700, self.directory.stat().st_mode & 0o777)

    def test_two_do_not_share_a_state_directory(self) -> None:
        with state_directory.lock_directory(self.directory):
            error = self.assertRaises(process.Failure, self._own)

        self.assertIn("--state-dir", str(error))

    def test_it_is_free_again_once_its_owner_has_ended(self) -> None:
        with state_directory.lock_directory(self.directory):
            self.assertRaises(process.Failure, self._own)

        self._own()

    def test_a_directory_that_cannot_be_made_is_a_failure(self) -> None:
        self.directory.parent.parent.joinpath("a").write_text("a file")

        self.assertRaises(process.Failure, self._own)

    def test_one_that_others_may_read_is_closed_to_them(self) -> None:
        for mode in (0o755, 0o710, 0o705):
            directory = self.make_directory()
            directory.chmod(mode)

            with state_directory.lock_directory(directory):
                self.assertEqual(0o700, self._mode(directory))

    def test_so_is_all_that_it_holds_from_before(self) -> None:
        self.directory.mkdir(mode=0o755, parents=True)
        files = [
            self.directory / name
            for name in ("lock", "orch.db", "orch.db-wal", "orch.log")
        ]
        for each in files:
            each.touch(mode=0o644)
        program = self.directory / "run"
        program.touch(mode=0o755)
        elsewhere = self.make_directory() / "public"
        elsewhere.touch(mode=0o644)
        (self.directory / "link").symlink_to(elsewhere)

        self._own()

        self.assertEqual([0o600] * 4, [self._mode(each) for each in files])
        self.assertEqual(0o700, self._mode(program))
        self.assertEqual(0o644, self._mode(elsewhere))

    def test_so_is_what_its_links_lead_to(self) -> None:
        self.directory.mkdir(parents=True)
        elsewhere = self.make_directory()
        linked = (
            *("orch.db", "search.db", "signals.key"),
            *("credentials.key", "adoption.key"),
        )
        for name in (*linked, "orch.db-wal", "orch.db-shm"):
            (elsewhere / name).touch(mode=0o644)
        (elsewhere / "second").symlink_to(elsewhere / "orch.db")
        for name in linked:
            (self.directory / name).symlink_to(elsewhere / name)
        (self.directory / "orch.db").unlink()
        (self.directory / "orch.db").symlink_to(elsewhere / "second")

        self._own()

        files = [each for each in elsewhere.iterdir() if each.is_file()]
        self.assertEqual({0o600}, {self._mode(each) for each in files}, files)

    def test_a_link_may_lead_to_what_is_made_later(self) -> None:
        self.directory.mkdir(parents=True)
        target = self.make_directory() / "orch.db"
        (self.directory / "orch.db").symlink_to(target)

        self._own()

        self.assertFalse(target.exists())

    def test_a_link_to_a_file_of_somebody_else_is_refused(self) -> None:
        self.directory.mkdir(parents=True)
        target = self.make_directory() / "orch.db"
        target.touch(mode=0o644)
        foreign.give(target)
        (self.directory / "orch.db").symlink_to(target)

        error = self.assertRaises(process.Failure, self._own)

        self.assertIn("belongs to the user", str(error))
        self.assertEqual(0o644, self._mode(target))

    def test_who_had_it_open_to_others_is_told(self) -> None:
        self.directory.mkdir(mode=0o755, parents=True)
        said = io.StringIO()

        with contextlib.redirect_stdout(said):
            self._own()

        self.assertIn(
            f"may not read {self.directory} any more", said.getvalue()
        )

    def test_one_that_others_may_change_is_refused(self) -> None:
        self.directory.mkdir(parents=True)
        for mode in (0o777, 0o1777, 0o770, 0o702):
            self.directory.chmod(mode)

            error = self.assertRaises(process.Failure, self._own)

            self.assertIn("other users may write", str(error))
            self.assertEqual(mode, self._mode(self.directory))

    def test_one_of_somebody_else_is_refused(self) -> None:
        self.directory.mkdir(parents=True)
        foreign.give(self.directory)

        error = self.assertRaises(process.Failure, self._own)

        self.assertIn("belongs to the user", str(error))

    def test_so_is_a_restored_database(self) -> None:
        for name in ("orch.db", "search.db"):
            directory = self.make_directory()
            directory.chmod(0o755)
            (directory / name).touch(mode=0o644)

            with state_directory.lock_directory(directory):
                self.assertEqual(0o600, self._mode(directory / name))

    def test_one_in_use_for_something_else_is_not_changed(self) -> None:
        self.directory.mkdir(parents=True)
        self.directory.chmod(0o755)
        page = self.directory / "index.html"
        page.touch(mode=0o644)

        error = self.assertRaises(process.Failure, self._own)

        self.assertIn("not empty", str(error))
        self.assertEqual(
            (0o755, 0o644), (self._mode(self.directory), self._mode(page))
        )

    def _mode(self, path: pathlib.Path) -> int:
        return path.stat().st_mode & 0o7777

    def _own(self) -> None:
        with state_directory.lock_directory(self.directory):
            pass
