"""The form of code: the same for each version of Python, and unlike for unlike code."""

import ast
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from attop_bench.run import syntax

#: Where versions of Python cut or show code in ways of their own: f-strings, text, new fields.
CODE = r'''
"""A docstring."""
import os
from . import near
from ..above import name as other
w = 3; a = 1.5; é = "é\U0001FAE8\ud800 \u0378"
x = f"a{a!r:>{w}}c" "d" f"{{}}" ""
y = f"{a:}" f"{a = }" f"{a=!s:^{w}.{w}}"
z = f"""several
{a:
}lines {w + 1:0{w}d}""" rf"\n{a}\t" "t\x00"
b = b"\xff" rb"\n"
q = u"u" 'v'
n = f""
m = f"{'x' 'y'}{1_000:,}" + f"{a:%H:%M}" + f"\N{GREEK SMALL LETTER ALPHA}{a}"
c = 1e400 + 0x_ff + 1j - -1
def f(x, /, y: int = 2, *args, z=None, **kw) -> "int":
    """A docstring."""
    with (open(x) as g, open(y) as h):
        pass
    match x:
        case {"a": 1, **rest} | [1, *_]: return {**kw, 'k': [*args]}
        case None: ...
    try: pass
    except* ValueError: pass
    return x[1:2, ..., ::3]
class C(object, metaclass=type):
    """A docstring."""
    x: int
async def g():
    async for i in y: yield i
    return
'''

#: Of `CODE`, by each of Python 3.11, 3.12 and 3.13.
DIGEST = "6432dce4ad861618"

READ = """
import importlib.util, json, pathlib, sys
spec = importlib.util.spec_from_file_location("syntax", sys.argv[1])
sys.modules["syntax"] = syntax = importlib.util.module_from_spec(spec)
spec.loader.exec_module(syntax)
print(json.dumps(syntax.read(pathlib.Path(sys.argv[2]), "one.two.three")))
"""


@pytest.fixture
def code(tmp_path):
    def written(text=CODE):
        file = tmp_path / "code.py"
        file.write_bytes(text.encode())
        return file

    return written


def digest(file):
    return syntax.read(file, "one.two.three").digest


def test_the_form_is_that_of_every_version(code):
    assert digest(code()) == DIGEST


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_another_python_reads_the_same(code, version):
    name, own = f"python{version}", Path(os.path.expanduser("~/.pyenv/versions"))
    found = [shutil.which(name), *map(str, sorted(own.glob(f"{version}.*/bin/{name}")))]
    for python in filter(None, found):
        command = [python, "-IWignore", "-c", READ, syntax.__file__, code()]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:  # that of pyenv may be a shim of a version that is not installed
            assert json.loads(done.stdout) == list(syntax.read(code(), "one.two.three"))
            return
    pytest.skip(f"Python {version} is not installed")


def test_what_is_imported_and_named(code):
    content = syntax.read(code(), "one.two.three")
    assert content.imported == ["one.above.name", "one.two.near", "os"]
    assert {"u", "v", "k", "xy"} & {*content.texts} == {"k", "xy"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 1", "x=1  # one"),
        ("x = f'a{b}' 'c'", "x = (f'a'\n f'{b}c')"),
        ("x = 'a' 'b'", 'x = """ab"""'),
        ("x = u'a'", "x = 'a'"),
        ("def f():\n    'A.'\n    return 1", "def f(): return 1"),
        ("x = (1)", "x = 1;"),
    ],
)
def test_layout_says_nothing(code, one, other):
    assert digest(code(one)) == digest(code(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = '1'", "x = 1"),
        ("x = b'a'", "x = 'a'"),
        ("x = 1", "x = 1.0"),
        ("x = 1", "x = True"),
        ("x = None", "x = 'None'"),
        ("x = f'{a}'", "x = 'a'"),
        ("x = f'{a!r}'", "x = f'{a}'"),
        ("x = f'{a}b'", "x = f'b{a}'"),
        ("x = f'{a}{b}'", "x = f'{a}' + f'{b}'"),
        ("f(a, *b)", "f(a, b)"),
        ("f(a=b)", "f(**{'a': b})"),
        ("x = [[], []]", "x = [[[]]]"),
        ("x = {**a}", "x = {a}"),
        ("def f(*, a=1): a", "def f(a=1): a"),
        ("def f(a, /, b): a", "def f(a, b): a"),
        ("x = a - (b - c)", "x = a - b - c"),
        ("x[1:]", "x[:1]"),
        ("try: a\nexcept E: b", "try: a\nexcept* E: b"),
        ("x: int", "x: float"),
        ("async def f(): a", "def f(): a"),
        ("from . import a", "from .. import a"),
    ],
)
def test_what_is_said_counts(code, one, other):
    assert digest(code(one)) != digest(code(other))


def test_every_field_of_this_python_is_in_the_form():
    """A random tree changed at one leaf has another form."""
    tree = ast.parse(Path(ast.__file__).read_text(encoding="utf-8"))
    nodes = [node for node in ast.walk(tree) if isinstance(node, (ast.Name, ast.Attribute, ast.arg))]
    before = syntax.form(tree)
    for node in nodes[:: len(nodes) // 12]:
        name = next(field for field in ("id", "attr", "arg") if hasattr(node, field))
        kept = getattr(node, name)
        setattr(node, name, f"{kept}_")
        assert syntax.form(tree) != before
        setattr(node, name, kept)
    assert syntax.form(tree) == before


def test_a_sum_of_many_terms_is_read(code):
    assert digest(code("x = " + "+".join(["y"] * 900)))
