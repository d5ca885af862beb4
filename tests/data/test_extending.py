"""Protocols and kinds of data are listed in one place each; every other place derives."""

import pytest

from attop_bench.data.catalogue import KINDS
from attop_bench.data.splits.protocols import PROTOCOLS
from attop_bench.run.options import json_schema, markdown
from support.listings import listings


def test_no_other_place_lists_the_protocols():
    assert not listings(PROTOCOLS)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_the_reference_says_what_a_protocol_does_and_its_defaults(name):
    protocol = PROTOCOLS[name]
    assert f"`{name}`: {protocol.summary}." in markdown("")
    assert protocol.options({}) == protocol.defaults
    options = json_schema()["$defs"]["ProtocolConfig"]["properties"]["options"]["description"]
    own = options.partition(f"`{name}`")[2].partition("`")[0]
    assert all(f"{option} = " in own for option in protocol.defaults)


def test_the_reference_names_every_kind():
    description = json_schema()["$defs"]["DatasetConfig"]["properties"]["kind"]["description"]
    assert all(kind in description for kind in KINDS)
