"""Templates that Heat has answered get the same answers from us.

The cases and what runs them lie outside of this repository, where
``ORCH_SHARED`` says. Those that are still open stand in :data:`OPEN`, each
with what it lacks: one that begins to pass has to leave the table.
"""

import json
import os
import pathlib
import subprocess
import sys

from tests import base
from tests.support import running

_HERE = pathlib.Path(__file__).parents[2]
_SHARED = _HERE / os.environ.get("ORCH_SHARED", "../shared")
_RUN = _SHARED / "conformance" / "run"
_PROJECT = "conformance-project"
_LIMIT_S = 240

_HEAT_TYPES = "nested stacks, groups, the OS::Heat types"

OPEN = {
    "groups/asg_desired": _HEAT_TYPES,
    "groups/attr_attributes_map": _HEAT_TYPES,
    "groups/attr_member_missing": _HEAT_TYPES,
    "groups/attr_member_with_path": _HEAT_TYPES,
    "groups/batch_create": _HEAT_TYPES,
    "groups/chain_concurrent": _HEAT_TYPES,
    "groups/chain_empty": _HEAT_TYPES,
    "groups/count_default": _HEAT_TYPES,
    "groups/def_from_param_type": _HEAT_TYPES,
    "groups/def_functions_resolved_in_parent": _HEAT_TYPES,
    "groups/def_metadata_index": _HEAT_TYPES,
    "groups/group_of_groups": _HEAT_TYPES,
    "groups/index_in_key_and_list": _HEAT_TYPES,
    "groups/nested_yaml": _HEAT_TYPES,
    "groups/removal_policies": _HEAT_TYPES,
    "limits/too_many_in_group": _HEAT_TYPES,
    "nested/all_types": _HEAT_TYPES,
    "nested/cfn_kid": _HEAT_TYPES,
    "nested/condition_from_param_in_kid": _HEAT_TYPES,
    "nested/defaults": _HEAT_TYPES,
    "nested/depth_ok_3": _HEAT_TYPES,
    "nested/facade_cfn": _HEAT_TYPES,
    "nested/kid_get_file": _HEAT_TYPES,
    "nested/kid_unknown_attr": _HEAT_TYPES,
    "nested/parameter_defaults_lose_to_property": _HEAT_TYPES,
    "nested/parameter_defaults_reach_nested": _HEAT_TYPES,
    "properties/softwareconfig": _HEAT_TYPES,
    "properties/softwareconfig_defaults": _HEAT_TYPES,
    "properties/structured_config_attr": _HEAT_TYPES,
    "properties/structuredconfig": _HEAT_TYPES,
}


class ConformanceTest(base.TestCase):
    limit_s = _LIMIT_S + 60

    def test_only_the_open_cases_are_answered_otherwise(self) -> None:
        if not _RUN.exists():
            self.skipTest(
                f"{_RUN} is not there: let ORCH_SHARED name the folder with"
                " the conformance cases"
            )
        system = self.useFixture(running.Embedded()).system
        endpoint = system.endpoint.rpartition("/")[0]
        failures = self.make_directory() / "failures"

        done = subprocess.run(
            [
                *(sys.executable, str(_RUN)),
                *("--endpoint", f"{endpoint}/{_PROJECT}"),
                *("--failures", str(failures)),
            ],
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )

        self.assertTrue(failures.exists(), done.stderr)
        self.assertIn(" passed, ", done.stdout, done.stderr)
        found = {
            failure["id"]: failure["why"]
            for failure in map(json.loads, failures.open(encoding="utf-8"))
        }
        broken = {case: found[case] for case in found if case not in OPEN}
        closed = {case: OPEN[case] for case in OPEN if case not in found}
        self.assertEqual({}, broken)
        self.assertEqual({}, closed, "these pass: take them out of OPEN")
