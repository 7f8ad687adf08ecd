from orch.plugin import lifecycle
from orch.plugin import lifecycle_order
from tests import base


def plugin(
    name: str,
    ordinal: int = 100,
    before: tuple[str, ...] = (),
    after: tuple[str, ...] = (),
    verbs: frozenset[str] | None = None,
    scope: lifecycle.Scope = lifecycle.Scope.ROOTS,
) -> lifecycle.LifecyclePlugin:
    made = lifecycle.LifecyclePlugin(name, None)
    made.ordinal = ordinal
    made.before = before
    made.after = after
    made.verbs = verbs
    made.scope = scope
    return made


def names(members: tuple[lifecycle_order.OrderedPlugin, ...]) -> list[str]:
    return [each.name for each in members]


class OrderTest(base.TestCase):
    def order(self, *plugins: lifecycle.LifecyclePlugin) -> list[str]:
        return names(lifecycle_order.PluginOrder.of(plugins).members)

    def test_lower_ordinals_come_first_then_names(self) -> None:
        found = self.order(plugin("c"), plugin("b"), plugin("z", ordinal=5))

        self.assertEqual(["z", "b", "c"], found)

    def test_declarations_stand_above_ordinals(self) -> None:
        found = self.order(
            plugin("a", ordinal=1, after=("c",)),
            plugin("b", ordinal=2),
            plugin("c", ordinal=3),
        )

        self.assertEqual(["b", "c", "a"], found)

    def test_before_is_after_the_other_way_round(self) -> None:
        found = self.order(
            plugin("a", ordinal=1),
            plugin("b", ordinal=2, before=("a",)),
        )

        self.assertEqual(["b", "a"], found)

    def test_a_name_stands_for_those_with_labels_too(self) -> None:
        found = self.order(
            plugin("a", after=("hook",)),
            plugin("b", after=("hook:y",)),
            plugin("hook:x", ordinal=300),
            plugin("hook:y", ordinal=200),
        )

        self.assertEqual(["hook:y", "b", "hook:x", "a"], found)

    def test_one_with_a_label_may_come_before_its_like(self) -> None:
        found = self.order(
            plugin("hook:x"), plugin("hook:y", before=("hook",))
        )

        self.assertEqual(["hook:y", "hook:x"], found)

    def test_those_not_installed_do_not_matter(self) -> None:
        found = self.order(plugin("a", after=("gone",), before=("away",)))

        self.assertEqual(["a"], found)

    def test_a_circle_is_told_with_its_names(self) -> None:
        error = self.assertRaises(
            lifecycle_order.PluginCycle,
            self.order,
            plugin("alone"),
            plugin("a", after=("b",)),
            plugin("b", after=("c",)),
            plugin("c", after=("a",)),
        )

        self.assertIn("a after b after c after a", error.message)
        self.assertNotIn("alone", error.message)

    def test_one_that_comes_after_itself_is_a_circle(self) -> None:
        error = self.assertRaises(
            lifecycle_order.PluginCycle, self.order, plugin("a", after=("a",))
        )

        self.assertIn("a after a", error.message)

    def test_a_name_is_there_once(self) -> None:
        error = self.assertRaises(
            lifecycle_order.CannotLoad, self.order, plugin("a"), plugin("a")
        )

        self.assertIn("the name a", error.message)


class ChainTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.order = lifecycle_order.PluginOrder.of(
            [
                plugin("roots"),
                plugin("every", scope=lifecycle.Scope.EVERY_STACK),
                plugin("deletes", verbs=frozenset({"delete"})),
            ]
        )

    def test_inner_stacks_have_those_for_every_stack(self) -> None:
        self.assertEqual(
            ["every"], names(self.order.chain("create", is_part=True))
        )

    def test_verbs_bound_a_plugin(self) -> None:
        self.assertEqual(["every", "roots"], names(self.order.chain("create")))
        self.assertEqual(
            ["deletes", "every", "roots"],
            names(self.order.chain("delete")),
        )

    def test_members_are_found_by_name(self) -> None:
        found = self.order.find("roots")

        assert found is not None
        self.assertEqual("roots", found.name)
        self.assertIsNone(self.order.find("other"))

    def test_nobody_is_in_the_empty_one(self) -> None:
        self.assertEqual((), lifecycle_order.NO_PLUGINS.chain("create"))
