"""What a preview of an update costs: each plan in it is made once."""

import sqlalchemy as sa

from tests.functional.rpc import worker

_OLD = {"heat_template_version": "2018-08-31", "resources": {}}
_NEW = {
    "heat_template_version": "2018-08-31",
    "resources": {"kid": {"type": "between.yaml"}},
}
_FILES = {
    "between.yaml": """
heat_template_version: 2018-08-31
resources:
  deep: {type: deep.yaml}
""",
    "deep.yaml": """
heat_template_version: 2018-08-31
resources:
  web: {type: "Test::Server"}
""",
}


class PreviewCostTest(worker.TestCase):
    def test_inner_stacks_are_planned_once_although_shown_twice(self) -> None:
        stack_id = self.create(_OLD)
        statements: list[str] = []
        sa.event.listen(
            self.database.engine,
            "before_cursor_execute",
            lambda conn, cursor, statement, *rest: statements.append(
                statement
            ),
        )

        def shown(*, show_nested: bool) -> tuple[list[str], int]:
            before = len(statements)
            found = self.plans.preview_update(
                self.ann,
                stack_id,
                {"template": _NEW, "files": _FILES},
                {"show_nested": show_nested},
            )
            names = [each["name"] for each in found["changes"]["added"]]
            return names, len(statements) - before

        flat, cost = shown(show_nested=False)
        deep, cost_with_nested = shown(show_nested=True)

        self.assertEqual((["kid"], ["kid", "deep", "web"]), (flat, deep))
        self.assertEqual(cost, cost_with_nested)
