"""Lists: filters, tags, order, pages; of stacks, resources and events."""

import typing

from tests.functional import test_rest_rules
from tests.support import rest

_TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "one": {"type": "OS::Heat::RandomString"},
        "two": {
            "type": "OS::Heat::Value",
            "properties": {"value": {"get_resource": "one"}},
        },
    },
}
_NESTS = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "inner": {
            "type": "OS::Heat::ResourceGroup",
            "properties": {
                "count": 1,
                "resource_def": {"type": "OS::Heat::RandomString"},
            },
        },
    },
}
_FAILS = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "broken": {
            "type": "OS::Heat::TestResource",
            "properties": {"fail": True},
        }
    },
}


class StackListTests(test_rest_rules.RestTestCase):
    """One set of stacks, and what each query string shows of it."""

    stacks: typing.ClassVar[dict[str, rest.Stack]]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        client = cls.client
        cls.stacks = {
            "a1": client.create("a1", _TEMPLATE, tags="x,y"),
            "b2": client.create("b2", _TEMPLATE, tags=["y"], timeout_mins=7),
            "c3": client.create("c3", _FAILS),
            "d4": client.create("d4", _NESTS, disable_rollback=True),
            "gone": client.create("gone", _TEMPLATE),
            "hidden": client.create(
                "hidden", _TEMPLATE, tags="data-processing-cluster,x"
            ),
        }
        for name, stack in cls.stacks.items():
            status = "CREATE_FAILED" if name == "c3" else "CREATE_COMPLETE"
            client.wait(stack, status)
        client.delete(cls.stacks["gone"])
        client.wait(cls.stacks["gone"], "DELETE_COMPLETE")

    def names(self, query: str) -> list[str]:
        found = self.ask("GET", f"/stacks?{query}", 200).json()["stacks"]
        return [each["stack_name"] for each in found]

    def test_filters(self) -> None:
        stack_id = self.stacks["b2"].id
        for query, names in (
            ("", "a1 b2 c3 d4"),
            ("sort_key=nothing&unknown=1", "a1 b2 c3 d4"),
            (f"id={stack_id}", "b2"),
            ("name=a1", "a1"),
            ("stack_name=a1&stack_name=c3", "a1 c3"),
            ("status=FAILED", "c3"),
            ("status=COMPLETE&name=a1", "a1"),
            ("stack_status=CREATE_FAILED", "c3"),
            ("action=CREATE&status=COMPLETE", "a1 b2 d4"),
            ("stack_action=DELETE", ""),
            ("timeout_mins=7", "b2"),
            (f"tenant={self.project}", "a1 b2 c3 d4"),
            ("tenant=another", ""),
            ("username=nobody", ""),
            ("stack_owner=nobody", ""),
            ("parent=nobody", ""),
            ("owner_id=nobody", ""),
            ("disable_rollback=false", ""),
            ("show_deleted=true&name=gone", "gone"),
            ("show_deleted=True", "a1 b2 c3 d4 gone"),
        ):
            self.assertEqual(names.split(), sorted(self.names(query)), query)

    def test_tags(self) -> None:
        for query, names in (
            ("tags=x", "a1"),
            ("tags=x,y", "a1"),
            ("tags=y", "a1 b2"),
            ("tags_any=x,y", "a1 b2"),
            ("not_tags=x,y", "b2 c3 d4"),
            ("not_tags_any=x,y", "c3 d4"),
            ("tags=y&not_tags=x", "b2"),
            ("tags=absent", ""),
            ("show_hidden=true&tags=x", "a1 hidden"),
            ("show_hidden=false", "a1 b2 c3 d4"),
        ):
            self.assertEqual(names.split(), sorted(self.names(query)), query)

    def test_tags_may_be_many(self) -> None:
        many = ",".join(f"t{number}" for number in range(1200))
        every = "a1 b2 c3 d4"
        for query, names in (
            (f"tags=x,{many}", ""),
            (f"tags_any=x,{many}", "a1"),
            (f"not_tags=x,{many}", every),
            (f"not_tags_any=x,{many}", "b2 c3 d4"),
            (f"tags={'x,y,' * 1200}", "a1"),
            (f"not_tags={'x,y,' * 1200}", "b2 c3 d4"),
        ):
            self.assertEqual(
                names.split(), sorted(self.names(query)), query[:20]
            )

    def test_a_key_to_sort_by_may_be_repeated(self) -> None:
        keys = "&sort_keys=stack_name" * 2500
        self.assertEqual(
            ["a1", "b2", "c3", "d4"], self.names(f"sort_dir=asc{keys}")
        )
        path = f"{self.stacks['a1'].path}/events?sort_dir=asc&limit=1"
        keys = "&sort_keys=event_time" * 2500
        (event,) = self.ask("GET", path + keys, 200).json()["events"]
        self.assertEqual("Stack CREATE started", _reason(event))

    def test_order(self) -> None:
        upwards = "sort_keys=stack_name&sort_dir=asc"
        self.assertEqual(["a1", "b2", "c3", "d4"], self.names(upwards))
        self.assertEqual(
            ["d4", "c3", "b2", "a1"],
            self.names("sort_keys=stack_name&sort_dir=desc"),
        )
        self.assertEqual(
            "c3", self.names("sort_keys=stack_status&sort_dir=desc")[0]
        )
        self.assertEqual(
            ["d4", "c3", "b2", "a1"],
            self.names("sort_keys=creation_time&sort_dir=desc"),
        )

    def test_pages_lead_to_the_next_until_the_end(self) -> None:
        seen = []
        path = "/stacks?limit=3&sort_keys=stack_name&sort_dir=asc"
        for expected in (3, 1):
            body = self.ask("GET", path, 200).json()
            seen += [each["stack_name"] for each in body["stacks"]]
            self.assertEqual(expected, len(body["stacks"]))
            following = body.get("links", [])
            if expected == 3:
                (link,) = following
                self.assertEqual("next", link["rel"])
                path = link["href"].removeprefix(self.client.endpoint)
        self.assertEqual([], following)
        self.assertEqual(["a1", "b2", "c3", "d4"], seen)

    def test_a_count_is_of_all_that_fits(self) -> None:
        body = self.ask("GET", "/stacks?with_count=true&limit=1", 200).json()
        self.assertEqual((4, 1), (body["count"], len(body["stacks"])))
        self.assertNotIn("count", self.ask("GET", "/stacks", 200).json())
        body = self.ask("GET", "/stacks?with_count=true&name=a1", 200).json()
        self.assertEqual(1, body["count"])

    def test_inner_stacks_are_shown_when_asked_for(self) -> None:
        found = self.names("show_nested=true")
        self.assertEqual(5, len(found))
        self.assertEqual({"a1", "b2", "c3", "d4"} - set(found), set())

    def test_other_projects_are_for_nobody(self) -> None:
        refused = self.ask("GET", "/stacks?global_tenant=true", 403).json()
        self.assertEqual("Forbidden", refused["error"]["type"])
        self.ask("GET", "/stacks?global_tenant=false", 200)

    def test_details_are_the_same(self) -> None:
        listed = self.ask("GET", "/stacks?name=a1", 200).json()
        self.assertEqual(
            listed, self.ask("GET", "/stacks/detail?name=a1", 200).json()
        )

    def test_a_deleted_stack_is_shown_by_its_id(self) -> None:
        gone = self.stacks["gone"]
        shown = self.ask("GET", gone.path, 200).json()["stack"]
        self.assertEqual("DELETE_COMPLETE", shown["stack_status"])
        self.assertRegex(
            str(shown["deletion_time"]), r"^\d{4}-\d\d-\d\dT[\d:]{8}Z$"
        )
        self.assertGreaterEqual(shown["deletion_time"], shown["creation_time"])
        self.ask("GET", "/stacks/gone", 404)

    def test_resources(self) -> None:
        path = f"{self.stacks['a1'].path}/resources"
        for query, names in (
            ("", "one two"),
            ("name=one", "one"),
            ("type=OS::Heat::Value", "two"),
            ("status=COMPLETE", "one two"),
            ("status=FAILED", ""),
            ("action=CREATE&name=two", "two"),
            ("with_detail=true", "one two"),
        ):
            found = self.ask("GET", f"{path}?{query}", 200).json()
            self.assertEqual(
                names.split(),
                sorted(each["resource_name"] for each in found["resources"]),
                query,
            )
        (one,) = self.ask("GET", f"{path}?name=one", 200).json()["resources"]
        self.assertEqual(["two"], one["required_by"])
        self.assertEqual(
            ["self", "stack"], [each["rel"] for each in one["links"]]
        )
        for query in ("limit=1", "unknown=1", "nested_depth=deep"):
            self.ask("GET", f"{path}?{query}", 400)

    def test_resources_of_inner_stacks(self) -> None:
        path = f"{self.stacks['d4'].path}/resources"
        flat = self.ask("GET", path, 200).json()["resources"]
        deep = self.ask("GET", f"{path}?nested_depth=2", 200).json()
        self.assertEqual(["inner"], [each["resource_name"] for each in flat])
        self.assertIn("nested", [each["rel"] for each in flat[0]["links"]])
        found = {
            each["resource_name"]: each.get("parent_resource")
            for each in deep["resources"]
        }
        self.assertEqual({"inner": None, "0": "inner"}, found)

    def test_events(self) -> None:
        path = f"{self.stacks['a1'].path}/events"
        every = self.ask("GET", f"{path}?sort_dir=asc", 200).json()["events"]
        ids = [each["id"] for each in every]
        self.assertEqual(6, len(ids))
        self.assertEqual("Stack CREATE started", _reason(every[0]))
        self.assertEqual("a1", every[-1]["resource_name"])
        for query, expected in (
            ("sort_dir=desc", ids[::-1]),
            ("sort_dir=asc&limit=2", ids[:2]),
            (f"sort_dir=asc&limit=2&marker={ids[1]}", ids[2:4]),
            (f"sort_dir=asc&marker={ids[-1]}", []),
        ):
            found = self.ask("GET", f"{path}?{query}", 200).json()["events"]
            self.assertEqual(expected, [each["id"] for each in found], query)
        for query, names in (
            ("resource_name=one", {"one"}),
            ("resource_type=OS::Heat::Value", {"two"}),
            ("resource_status=COMPLETE", {"a1", "one", "two"}),
            ("resource_action=DELETE", set()),
        ):
            found = self.ask("GET", f"{path}?{query}", 200).json()["events"]
            self.assertEqual(
                names, {each["resource_name"] for each in found}, query
            )

    def test_events_of_a_resource(self) -> None:
        path = f"{self.stacks['a1'].path}/resources/one/events"
        found = self.ask("GET", path, 200).json()["events"]
        self.assertEqual(2, len(found))
        self.ask("GET", f"{path}?resource_action=DELETE", 404)
        last = f"marker={found[-1]['id']}"
        rest = self.ask("GET", f"{path}?{last}&limit=1", 200).json()
        self.assertEqual({"events": []}, rest)
        absent = path.replace("/one/", "/absent/")
        self.ask("GET", f"{absent}?{last}", 404)
        one = self.ask("GET", f"{path}/{found[0]['id']}", 200).json()["event"]
        self.assertEqual("OS::Heat::RandomString", one["resource_type"])
        self.ask("GET", f"{path}/absent", 404)

    def test_events_of_a_tree_name_its_root(self) -> None:
        path = f"{self.stacks['d4'].path}/events"
        found = self.ask("GET", f"{path}?nested_depth=2", 200).json()
        rels = {
            tuple(link["rel"] for link in each["links"])
            for each in found["events"]
        }
        self.assertEqual({("self", "resource", "stack", "root_stack")}, rels)
        self.assertIn("0", [each["resource_name"] for each in found["events"]])


def _reason(event: dict[str, str]) -> str:
    return event["resource_status_reason"]
