import collections
import random
import typing

from orch import errors
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import read_only_values
from orch_lifecycle_policies import rack_placement
from tests.support import patterns
from tests.unit.lifecycle_plugins import judged

SERVER = "OS::Nova::Server"
VOLUME = "OS::Cinder::Volume"
ATTACHMENT = "OS::Cinder::VolumeAttachment"
TOGETHER = {"types": [SERVER, VOLUME], "through": ATTACHMENT}


def racks(count: int, servers: int = 4, volumes: int = 8) -> dict[str, object]:
    return {
        f"r{number}": {SERVER: servers, VOLUME: volumes}
        for number in range(1, count + 1)
    }


def server(name: str, *requires: str) -> lifecycle_operation.ResourceView:
    return patterns.resource(name, SERVER, requires=requires)


def volume(name: str) -> lifecycle_operation.ResourceView:
    return patterns.resource(name, VOLUME)


def fleet(count: int) -> lifecycle_operation.StackView:
    return patterns.stack(*(server(f"s{number}") for number in range(count)))


class RackPlacementTest(judged.PluginTestCase):
    def plugin(
        self, rooms: object, **more: object
    ) -> rack_placement.RackPlacement:
        return rack_placement.RackPlacement(
            "rack-placement", {"racks": rooms, **more}
        )

    def place(
        self,
        plugin: rack_placement.RackPlacement,
        view: lifecycle_operation.StackView,
        earlier: dict[str, str] | None = None,
        elsewhere: tuple[lifecycle_operation.StoredDecision, ...] = (),
    ) -> dict[str, str]:
        """Return the rack by path."""
        verdict = self.judge(
            plugin, self.operation(view, earlier or {}, elsewhere)
        )
        self.assertEqual(lifecycle.Ruling.ALLOW, verdict.ruling, verdict.text)
        decisions = typing.cast(dict[str, dict[str, str]], verdict.decisions)
        return {path: value["rack"] for path, value in decisions.items()}

    def refuse(
        self,
        plugin: rack_placement.RackPlacement,
        view: lifecycle_operation.StackView,
        earlier: dict[str, str] | None = None,
        elsewhere: tuple[lifecycle_operation.StoredDecision, ...] = (),
    ) -> str:
        return self.check(
            lifecycle.Ruling.DENY,
            plugin,
            self.operation(view, earlier or {}, elsewhere),
        )

    def operation(
        self,
        view: lifecycle_operation.StackView,
        earlier: dict[str, str],
        elsewhere: tuple[lifecycle_operation.StoredDecision, ...],
    ) -> lifecycle_operation.LifecycleOperation:
        kept: dict[str, object] = {
            path: {"rack": rack, "type": SERVER}
            for path, rack in earlier.items()
        }
        return patterns.make_operation(
            view,
            decided={"rack-placement": kept},
            elsewhere=elsewhere,
        )

    def test_a_server_and_its_volumes_are_on_one_rack(self) -> None:
        view = patterns.stack(
            volume("v1"),
            volume("v2"),
            server("web", "v1", "v2"),
            volume("v3"),
            server("db", "v3"),
        )
        plugin = self.plugin(racks(3, servers=1), together=[TOGETHER])

        found = self.place(plugin, view)

        self.assertEqual({"v1", "v2", "v3", "web", "db"}, set(found))
        self.assertEqual(1, len({found[each] for each in ("v1", "v2", "web")}))
        self.assertEqual(found["v3"], found["db"])
        self.assertNotEqual(found["web"], found["db"])

    def test_an_attachment_binds_what_it_joins(self) -> None:
        view = patterns.stack(
            volume("v"),
            server("web"),
            patterns.resource("join", ATTACHMENT, requires=("v", "web")),
        )
        # Each rack has room for one of both only where both are.
        plugin = self.plugin(
            {"a": {SERVER: 9}, "b": {VOLUME: 9}, "c": {SERVER: 1, VOLUME: 1}},
            together=[TOGETHER],
        )

        self.assertEqual({"v": "c", "web": "c"}, self.place(plugin, view))

    def test_without_rules_things_go_where_room_is(self) -> None:
        plugin = self.plugin({"a": {SERVER: 2}, "b": {SERVER: 2}})

        found = self.place(plugin, fleet(4))

        self.assertEqual({"a": 2, "b": 2}, collections.Counter(found.values()))

    def test_decisions_say_what_they_are_for(self) -> None:
        verdict = self.judge(
            self.plugin({"a": {"OS::Nova::*": 2}}),
            self.operation(fleet(1), {}, ()),
        )

        self.assertEqual(
            {"s0": {"rack": "a", "type": SERVER}}, verdict.decisions
        )

    def test_what_takes_no_room_is_not_placed(self) -> None:
        view = patterns.stack(patterns.resource("net", "OS::Neutron::Net"))

        self.assertEqual({}, self.place(self.plugin(racks(1)), view))

    def test_servers_are_spread_over_n_racks(self) -> None:
        plugin = self.plugin(
            racks(5, servers=10), spread=[{"types": SERVER, "over": 3}]
        )

        found = self.place(plugin, fleet(6))

        self.assertGreaterEqual(len(set(found.values())), 3)

    def test_fewer_servers_are_spread_over_as_many_racks(self) -> None:
        plugin = self.plugin(racks(5), spread=[{"types": SERVER, "over": 3}])

        found = self.place(plugin, fleet(2))

        self.assertEqual(2, len(set(found.values())))

    def test_so_many_at_most_are_on_one_rack(self) -> None:
        plugin = self.plugin(
            racks(3, servers=9), spread=[{"types": SERVER, "most_per_rack": 2}]
        )

        found = self.place(plugin, fleet(6))

        self.assertEqual(
            [2, 2, 2], list(collections.Counter(found.values()).values())
        )
        told = self.refuse(plugin, fleet(7))
        self.assertIn("at most 2 on one rack, and there are 7", told)

    def test_owners_ask_for_a_spread_in_metadata(self) -> None:
        request = read_only_values.FrozenMapping(
            {"rack-placement": {"group": "web", "over": 2}}
        )
        view = patterns.stack(
            *(
                lifecycle_operation.ResourceView(
                    name=name,
                    path=name,
                    type_name=SERVER,
                    properties=read_only_values.FrozenMapping({}),
                    metadata=request,
                )
                for name in ("a", "b")
            )
        )

        found = self.place(self.plugin(racks(2)), view)

        self.assertNotEqual(found["a"], found["b"])
        told = self.refuse(self.plugin(racks(1)), view)
        self.assertEqual(
            "the group 'web' should be on 2 racks, and 1 has room", told
        )

    def test_what_stands_keeps_its_rack(self) -> None:
        plugin = self.plugin(racks(3))

        found = self.place(plugin, fleet(4), {"s0": "r3", "s2": "r3"})

        self.assertEqual("r3", found["s0"])
        self.assertEqual("r3", found["s2"])

    def test_what_stands_moves_only_where_it_has_to(self) -> None:
        plugin = self.plugin(
            racks(2, servers=2), spread=[{"types": SERVER, "over": 2}]
        )

        found = self.place(plugin, fleet(2), {"s0": "r1", "s1": "r1"})

        self.assertEqual({"r1", "r2"}, set(found.values()))

    def test_a_rack_that_is_gone_is_left(self) -> None:
        found = self.place(self.plugin(racks(1)), fleet(1), {"s0": "r9"})

        self.assertEqual({"s0": "r1"}, found)

    def test_what_goes_leaves_its_room_to_the_stack(self) -> None:
        plugin = self.plugin(racks(1, servers=1))

        found = self.place(plugin, fleet(1), {"old": "r1"})

        self.assertEqual({"s0": "r1"}, found)

    def test_other_stacks_take_room(self) -> None:
        plugin = self.plugin(racks(2, servers=1))
        other = lifecycle_operation.StoredDecision(
            root_id="other",
            path="x",
            value=read_only_values.freeze({"rack": "r1", "type": SERVER}),
        )

        found = self.place(plugin, fleet(1), elsewhere=(other,))
        told = self.refuse(plugin, fleet(2), elsewhere=(other,))

        self.assertEqual({"s0": "r2"}, found)
        self.assertEqual(
            f"there is room for 1 {SERVER} in all racks, and the stack has 2",
            told,
        )

    def test_what_may_go_back_takes_room_on_both_racks(self) -> None:
        plugin = self.plugin(racks(3, servers=1))
        moved = lifecycle_operation.StoredDecision(
            root_id="other",
            path="x",
            value=read_only_values.freeze({"rack": "r2", "type": SERVER}),
            earlier=(
                read_only_values.freeze({"rack": "r1", "type": SERVER}),
                read_only_values.freeze({"rack": "r2", "type": SERVER}),
            ),
        )

        found = self.place(plugin, fleet(1), elsewhere=(moved,))
        told = self.refuse(plugin, fleet(2), elsewhere=(moved,))

        self.assertEqual({"s0": "r3"}, found)
        self.assertIn("there is room for 1", told)

    def test_a_decision_of_another_form_takes_none(self) -> None:
        gone = lifecycle_operation.StoredDecision(
            root_id="other", path="x", value=None
        )

        found = self.place(
            self.plugin(racks(1, servers=1)), fleet(1), elsewhere=(gone,)
        )

        self.assertEqual({"s0": "r1"}, found)

    def test_too_large_a_bundle_is_told(self) -> None:
        view = patterns.stack(
            volume("v1"), volume("v2"), server("web", "v1", "v2")
        )
        plugin = self.plugin(racks(9, volumes=1), together=[TOGETHER])

        told = self.refuse(plugin, view)

        self.assertIn("no rack has room for", told)
        self.assertIn("2 OS::Cinder::Volume", told)

    def test_too_few_racks_are_told(self) -> None:
        plugin = self.plugin(
            racks(2, servers=9), spread=[{"types": SERVER, "over": 3}]
        )

        self.assertEqual(
            f"{SERVER} of the stack should be on 3 racks, and 2 have room",
            self.refuse(plugin, fleet(3)),
        )

    def test_rules_against_each_other_are_told(self) -> None:
        view = patterns.stack(
            volume("shared"), server("a", "shared"), server("b", "shared")
        )
        plugin = self.plugin(
            racks(3),
            together=[TOGETHER],
            spread=[{"types": SERVER, "over": 2}],
        )

        self.assertIn("there are 1 parts", self.refuse(plugin, view))

    def test_l9_inner_stacks_are_placed_by_their_paths(self) -> None:
        view = patterns.stack(
            patterns.resource(
                "group",
                "OS::Heat::ResourceGroup",
                child_stack=patterns.stack(volume("v"), server("s", "v")),
            )
        )
        plugin = self.plugin(racks(2), together=[TOGETHER])

        found = self.place(plugin, view)

        self.assertEqual({"group/v", "group/s"}, set(found))
        self.assertEqual(1, len(set(found.values())))

    def child_stack(self, *names: str) -> lifecycle_operation.StackView:
        """Return the stack of a group, as it is when its turn comes."""
        root = patterns.stack(
            patterns.resource(
                "group",
                "OS::Heat::ResourceGroup",
                child_stack=patterns.stack(*(server(name) for name in names)),
            )
        )
        found = root.resources["group"].child_stack
        assert found is not None
        return found

    def test_an_inner_stack_is_placed_as_it_was_with_its_root(self) -> None:
        plugin = self.plugin(racks(2, servers=1))
        root = {"group/0": "r2", "web": "r1"}

        found = self.place(plugin, self.child_stack("0"), root)

        self.assertEqual({"group/0": "r2"}, found)

    def test_a_group_that_grows_leaves_the_others_where_they_are(self) -> None:
        plugin = self.plugin(
            racks(3), spread=[{"types": SERVER, "most_per_rack": 1}]
        )
        root = {"group/0": "r2", "web": "r1"}

        found = self.place(plugin, self.child_stack("0", "1"), root)
        told = self.refuse(plugin, self.child_stack("0", "1", "2"), root)

        self.assertEqual({"group/0": "r2", "group/1": "r3"}, found)
        self.assertIn("at most 1 on one rack, and there are 4", told)

    def test_what_a_root_does_not_know_yet_keeps_its_room(self) -> None:
        plugin = self.plugin({"r1": {SERVER: 1}, "r2": {SERVER: 1}})
        view = patterns.stack(
            patterns.resource("group", "OS::Heat::ResourceGroup"),
            server("web"),
        )

        found = self.place(plugin, view, {"group/0": "r1"})

        self.assertEqual({"web": "r2"}, found)

    def test_every_answer_keeps_the_rules(self) -> None:
        chance = random.Random(7)
        for _ in range(100):
            rooms = {
                f"r{number}": {
                    SERVER: chance.randint(0, 4),
                    VOLUME: chance.randint(0, 6),
                }
                for number in range(chance.randint(1, 5))
            }
            over = chance.randint(2, 3)
            count = chance.randint(1, 8)
            resources = []
            for number in range(count):
                resources.append(volume(f"v{number}"))
                resources.append(server(f"s{number}", f"v{number}"))
            if not any(any(room.values()) for room in rooms.values()):
                continue
            plugin = self.plugin(
                rooms,
                together=[TOGETHER],
                spread=[{"types": SERVER, "over": over}],
            )
            verdict = self.judge(
                plugin, self.operation(patterns.stack(*resources), {}, ())
            )
            pairs = sum(
                min(room[SERVER], room[VOLUME]) for room in rooms.values()
            )
            useful = sum(
                min(room[SERVER], room[VOLUME]) > 0 for room in rooms.values()
            )
            can = pairs >= count and useful >= min(over, count)
            self.assertEqual(
                can, verdict.ruling is lifecycle.Ruling.ALLOW, verdict.text
            )
            if can:
                self.check_all(verdict.decisions, rooms, min(over, count))

    def check_all(
        self,
        decisions: lifecycle.Decisions,
        rooms: dict[str, dict[str, int]],
        over: int,
    ) -> None:
        found = typing.cast(dict[str, dict[str, str]], decisions)
        used = collections.Counter(
            (each["rack"], each["type"]) for each in found.values()
        )
        for (rack, type_name), count in used.items():
            self.assertLessEqual(count, rooms[rack][type_name])
        for path, each in found.items():
            if path.startswith("s"):
                self.assertEqual(each["rack"], found[f"v{path[1:]}"]["rack"])
        self.assertGreaterEqual(
            len({each["rack"] for each in found.values()}), over
        )

    def test_a_thousand_servers_are_placed_at_once(self) -> None:
        plugin = self.plugin(
            racks(50, servers=20), spread=[{"types": SERVER, "over": 40}]
        )

        found = self.place(plugin, fleet(1000))

        self.assertEqual(
            [20] * 50, list(collections.Counter(found.values()).values())
        )

    def test_settings_have_racks_with_room(self) -> None:
        for settings in (
            {},
            {"racks": {}},
            {"racks": {"r1": {}}},
            {"racks": {"r1": {SERVER: -1}}},
            {"racks": racks(1), "spread": [{"types": SERVER}]},
            {"racks": racks(1), "spread": [{"types": SERVER, "over": 1}]},
            {"racks": racks(1), "together": [{"through": "x"}]},
        ):
            self.assertRaises(
                errors.Invalid, rack_placement.RackPlacement, "r", settings
            )
