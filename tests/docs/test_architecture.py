"""The picture of the rooms is what the contracts of imports hold."""

import re
import tomllib

from support import ROOT

PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = PROJECT["tool"]["importlinter"]["contracts"]


def drawn_rooms():
    """Return the layers of rooms of each package of the picture, or room of one, from the top down."""
    picture = re.search(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]
    rooms = {}
    for line in filter(None, picture.splitlines()):
        left = re.split(r" {3,}(?=\S)", line)
        if line[0] != " ":
            package = line.split()[0]
            rooms[package] = []
        names = left[1] if len(left) == 3 else ""
        if names:
            rooms[package].append({name.strip() for name in names.split("|")})
    return rooms


def held_rooms():
    """Return the layers of rooms that the contracts hold, of each package."""
    return {
        package: [{name.strip() for name in layer.split("|")} for layer in contract["layers"]]
        for contract in CONTRACTS
        for package in contract.get("containers", [])
    }


def test_the_rooms_are_drawn_as_the_contracts_hold_them():
    assert {package: rooms for package, rooms in drawn_rooms().items() if rooms} == held_rooms()


def test_the_packages_are_those_of_the_wheel_in_the_order_of_their_contract():
    (order,) = (
        contract["layers"]
        for contract in CONTRACTS
        if contract["type"] == "layers" and "containers" not in contract
    )
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert [package for package in drawn_rooms() if "." not in package] == order
    assert {f"src/{package}" for package in order} == set(wheel)
    assert set(PROJECT["tool"]["importlinter"]["root_packages"]) == set(order)
    assert all(f"`{package}`" in PAGE for package in wheel)


def test_every_package_and_every_module_of_a_room_is_drawn():
    for package, layers in drawn_rooms().items():
        if not layers:
            continue
        folder = ROOT / "src" / package.replace(".", "/")
        parts = [p for p in folder.iterdir() if p.is_dir() and (p / "__init__.py").exists()]
        modules = [p for p in folder.glob("*.py") if p.stem != "__init__"]
        assert {p.stem for p in (*parts, *modules)} == set().union(*layers)


def test_the_files_it_names_are_there():
    """A place is named from the root, from `src`, or from the package that the table is about."""
    places = ["", "src", "src/attop", "src/attop_bench", "src/attop_bench/report"]
    named = set(re.findall(r"`((?:[\w.]+/)+[\w.]*\w\.\w+)`", PAGE))
    assert len(named) > 20
    named -= {name for name in named if name.startswith("OUT/")}  # of an output folder
    missing = [name for name in named if not any((ROOT / place / name).exists() for place in places)]
    assert not missing
