"""The same answers of ``orch-all`` over REST, with the index on Tantivy."""

import pathlib
import tempfile

from tests.functional.search import test_answers
from tests.functional.search import test_as_of
from tests.functional.search import test_finding
from tests.functional.search import test_search_rights
from tests.support import running
from tests.support import serving


class _Followed(serving.ServerTestCase):
    """What is found is in files that follow rows on SQLite."""

    limit_s = 300

    @classmethod
    def installation(cls) -> running.Embedded | running.Distributed:
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.files = pathlib.Path(directory.name) / "files"
        search = {
            "connection": f"tantivy+sqlite:///{directory.name}/search.db",
            "folder": str(cls.files),
        }
        options = {**cls.defaults, **cls.options}
        options["search"] = {**options.get("search", {}), **search}
        return running.Embedded(options, cls.environment(), cls.arguments)

    files: pathlib.Path


class FindingTests(_Followed, test_finding.FindingTests):
    """S1."""

    def test_its_files_are_where_the_options_say(self) -> None:
        self.assertTrue((self.files / "0" / "position.json").exists())


class AnswerTests(_Followed, test_answers.AnswerTests):
    """S6."""


class CanaryTests(_Followed, test_search_rights.CanaryTests):
    """S3."""


class AsOfTests(_Followed, test_as_of.AsOfTests):
    """S3, of what was hidden since."""

    options = test_as_of.AsOfTests.options
