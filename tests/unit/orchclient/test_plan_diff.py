from orchclient import plan_diff
from orchclient import plans
from tests import base

_CHANGE = {
    "key": "k",
    "kind": "update",
    "resource_name": "web",
    "resource_type": "Test::Thing",
    "is_certain": True,
    "properties": {},
}


def plan(*changes: dict[str, object]) -> plans.Plan:
    return plans.Plan.of({"action": "UPDATE", "changes": list(changes)})


def change(**more: object) -> dict[str, object]:
    return {**_CHANGE, **more}


class LinesTests(base.TestCase):
    def test_a_change_is_told_with_its_properties(self) -> None:
        found = plan_diff.plan_lines(
            plan(
                change(
                    reason="image cannot be changed in place",
                    kind="create",
                    replaces="old-1",
                    properties={
                        "size": {"old": 1, "new": 2},
                        "image": {
                            "old": "v1",
                            "new": "v2",
                            "needs_replacement": True,
                        },
                        "net": {"old": "n", "new": {"known_later": True}},
                        "note": {"old": "x"},
                        "tags": {"new": ["a"]},
                    },
                )
            )
        )

        self.assertEqual(
            [
                "-/+ replace web (Test::Thing)"
                "  # image cannot be changed in place",
                '    image: "v1" -> "v2"  # forces replacement',
                '    net: "n" -> (known later)',
                '    note: "x" -> nothing',
                "    size: 1 -> 2",
                '    tags: ["a"]',
            ],
            found,
        )

    def test_of_long_values_only_what_differs_is_shown(self) -> None:
        old = [f"host-{number}" for number in range(40)]
        found = plan_diff.plan_lines(
            plan(
                change(
                    properties={
                        "hosts": {
                            "old": old,
                            "new": [*old[:-1], "x", "y"],
                            "needs_replacement": True,
                            "places": [
                                {
                                    "place": "hosts",
                                    "kind": "removed",
                                    "index": 39,
                                    "old": "host-39",
                                    "new": None,
                                },
                                {
                                    "place": "hosts",
                                    "kind": "added",
                                    "index": 39,
                                    "old": None,
                                    "new": "x",
                                },
                                {
                                    "place": "hosts.0",
                                    "kind": "changed",
                                    "index": None,
                                    "old": 1,
                                    "new": 2,
                                },
                            ],
                        }
                    }
                )
            )
        )

        self.assertEqual(
            [
                "    hosts:  # forces replacement",
                '        hosts: - "host-39"',
                '        hosts: + "x"',
                "        hosts.0: 1 -> 2",
            ],
            found[1:],
        )

    def test_what_is_not_certain_is_marked(self) -> None:
        self.assertEqual(
            ["~? update web (Test::Thing)"],
            plan_diff.plan_lines(plan(change(is_certain=False))),
        )

    def test_a_stack_inside_is_told_below(self) -> None:
        inner = {"action": "UPDATE", "changes": [change(resource_name="db")]}

        self.assertEqual(
            ["~ update web (Test::Thing)", "    ~ update db (Test::Thing)"],
            plan_diff.plan_lines(plan(change(child_plan=inner))),
        )

    def test_what_is_of_no_resource_is_left_out(self) -> None:
        only = plan(change(kind="clean-up", resource_name=""))

        self.assertEqual([], plan_diff.plan_lines(only))
        self.assertTrue(only.is_empty)

    def test_what_the_service_redacts_is_sensitive(self) -> None:
        found = plan_diff.plan_lines(
            plan(
                change(
                    properties={
                        "content": {
                            "old": "******",
                            "new": {"known_later": True},
                        },
                        "env": {"new": {"a": ["******", "x ****** y"]}},
                        "quoted": {"new": 'a "******" b'},
                    }
                )
            )
        )

        self.assertEqual(
            [
                "    content: (sensitive) -> (known later)",
                '    env: {"a": [(sensitive), "x ****** y"]}',
                '    quoted: "a \\"******\\" b"',
            ],
            found[1:],
        )

    def test_a_long_value_is_cut(self) -> None:
        found = plan_diff.plan_lines(
            plan(change(properties={"text": {"new": "x" * 1000}}))
        )

        self.assertLess(len(found[1]), 250)
        self.assertTrue(found[1].endswith("…"))


class SummaryTests(base.TestCase):
    def test_changes_are_counted_by_kind_at_all_depths(self) -> None:
        inner = {"action": "UPDATE", "changes": [change()]}

        self.assertEqual(
            "Update: 2 to update, 1 to replace, 1 to delete.",
            plan_diff.plan_summary(
                plan(
                    change(child_plan=inner),
                    change(kind="create", replaces="x"),
                    change(kind="delete"),
                    change(kind="clean-up", resource_name=""),
                )
            ),
        )

    def test_nothing_to_do_is_said(self) -> None:
        self.assertEqual("Nothing to do.", plan_diff.plan_text(plan()))

    def test_d5_what_could_not_be_read_is_told_at_all_depths(self) -> None:
        inner = {
            "action": "UPDATE",
            "changes": [change()],
            "warnings": ["b could not be read"],
        }
        found = plans.Plan.of(
            {
                "action": "UPDATE",
                "changes": [change(child_plan=inner)],
                "warnings": ["a could not\n be read"],
            }
        )

        self.assertEqual(
            ["! a could not be read", "! b could not be read"],
            plan_diff.plan_text(found).splitlines()[2:4],
        )

    def test_what_plug_ins_object_comes_before_the_summary(self) -> None:
        said = [
            {"plugin": "counts", "ruling": "warn", "text": "many\nservers"},
            {"plugin": "names", "ruling": "allow", "text": ""},
            {"plugin": "rules", "ruling": "deny", "text": "no image"},
            {"plugin": "freeze", "ruling": "hold", "text": "Friday"},
        ]
        found = plans.Plan.of(
            {"action": "UPDATE", "changes": [change()], "verdicts": said}
        )

        self.assertEqual(
            [
                "~ update web (Test::Thing)",
                "! counts warns: many servers",
                "! rules denies it: no image",
                "! freeze holds it until it is approved: Friday",
                "Update: 1 to update.",
            ],
            plan_diff.plan_text(found).splitlines(),
        )


class PropertyTests(base.TestCase):
    def test_none_is_a_value_and_absence_is_not(self) -> None:
        found = plans.PropertyChange.of({"old": None})

        self.assertIsNone(found.old)
        self.assertIs(plans.ABSENT, found.new)
