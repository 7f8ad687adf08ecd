"""Names are found where files define them, and split into words."""

from tests import base
from tools.house import walk

TEXT = """
import sqlalchemy as sa
from oslo_config import cfg

GROUP = cfg.OptGroup("search", title="Search")
OPTIONS = (cfg.IntOpt("most_hits"),)


class Kept:
    code = "orch.kept"
    told_at: int

    def tell(self) -> object:
        def local() -> None: ...

        return {"asked_by": local, "two words": 1}["left_out"]


def keep(parser: object) -> object:
    parser.add_argument("-t", "--thing")
    return sa.Column("wish", sa.Text)
"""


class NameTests(base.TestCase):
    def find(self) -> set[tuple[str, str]]:
        source = walk.parse("orch/conf/search.py", TEXT)
        return {(each.kind, each.name) for each in walk.iterate_names(source)}

    def test_each_kind_is_found(self) -> None:
        self.assertEqual(
            {
                ("module", "search"),
                ("constant", "GROUP"),
                ("constant", "OPTIONS"),
                ("option", "search.most_hits"),
                ("class", "Kept"),
                ("field", "code"),
                ("code", "orch.kept"),
                ("field", "told_at"),
                ("method", "tell"),
                ("key", "asked_by"),
                ("key", "left_out"),
                ("function", "keep"),
                ("flag", "-t"),
                ("flag", "--thing"),
                ("column", "wish"),
            },
            self.find(),
        )

    def test_a_package_bears_the_name_of_its_folder(self) -> None:
        source = walk.parse("orch/flow/__init__.py", "")

        self.assertEqual("flow", source.module)


class WrittenTests(base.TestCase):
    def test_names_flags_and_codes_are_found_in_texts(self) -> None:
        text = "Use ``--thing`` or\nasked_by, as orch.http.come_later does.\n"

        self.assertEqual(
            [
                walk.Name("a.rst", 1, "flag", "--thing"),
                walk.Name("a.rst", 2, "key", "asked_by"),
                walk.Name("a.rst", 2, "code", "orch.http.come_later"),
            ],
            list(walk.iterate_written("a.rst", text)),
        )


class SplitTests(base.TestCase):
    def test_underscores_and_humps_part_words(self) -> None:
        for name, words in (
            ("_kept_plans", ["kept", "plans"]),
            ("KeptPlan", ["kept", "plan"]),
            ("RPCClient", ["rpc", "client"]),
            ("--wait-held", ["wait", "held"]),
            ("keeper", ["keeper"]),
        ):
            self.assertEqual(words, walk.split(name))


class PathTests(base.TestCase):
    def test_a_slash_takes_all_below(self) -> None:
        self.assertTrue(walk.is_in("orch/a/b/c.py", ["orch/a/"]))
        self.assertFalse(walk.is_in("orch/ab.py", ["orch/a/"]))
        self.assertTrue(walk.is_in("orch/a.py", ["orch/a.py"]))
        self.assertTrue(walk.is_in("orch/heat_a.py", ["orch/heat*"]))
