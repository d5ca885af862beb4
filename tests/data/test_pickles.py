"""Pickles are read without running what is in them."""

import os
import pickle
import resource
import subprocess

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from attop_bench.data.base import DatasetError
from attop_bench.data.fetch import PickleRefused, load_pickle
from support.downloads import sha


def pickled(tmp_path, content):
    path = tmp_path / "p"
    path.write_bytes(content)
    return path, sha(content)


PLAIN = {
    "a": [1, 2.5, None, True, 1 << 80],
    "b": ({1, 2}, frozenset("x"), "é", b"\xff", 1j),
    "c": bytearray(b"z"),
}
ARRAYS = [
    np.arange(6.0).reshape(2, 3),
    np.asfortranarray(np.arange(6).reshape(2, 3)),
    np.array([1, 2], ">i4"),
    np.array(["a", "bc"]),
    np.array([b"a", b"bc"]),
    np.array([True, False]),
    np.array([[1], None, "x"], dtype=object),
]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_plain_pickles(tmp_path, protocol):
    data = {"plain": PLAIN, "arrays": ARRAYS, "scalars": [np.float64(1.5), np.int32(3), np.bool_(True)]}
    got = load_pickle(*pickled(tmp_path, pickle.dumps(data, protocol)))
    assert got["plain"] == PLAIN
    assert got["scalars"] == data["scalars"]
    for ours, theirs in zip(got["arrays"], ARRAYS, strict=True):
        assert ours.dtype == theirs.dtype.newbyteorder("=") or protocol == 5
        assert_array_equal(ours, theirs)


def test_pickle_of_python_2(tmp_path):
    # what Python 2.7 with NumPy 1.16 wrote for {u'a': np.array([1, 258], '<i2'), 's': 'b\xe9'}
    content = (
        b"\x80\x02}(X\x01\x00\x00\x00acnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
        b"(K\x01K\x02\x85cnumpy\ndtype\nU\x02i2K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
        b"\x89U\x04\x01\x00\x02\x01tbU\x01sU\x02b\xe9u."
    )
    got = load_pickle(*pickled(tmp_path, content))
    assert got["a"].tolist() == [1, 258]
    assert got["s"] == "bé"


class Calls:
    def __init__(self, function, *args):
        self.what = function, args

    def __reduce__(self):
        return self.what


def nested(path):
    return [1, {"deep": (Calls(getattr, Calls(__import__, "os"), "system"), path)}]


HOSTILE = {
    "posix.system": lambda path: Calls(os.system, f"touch {path}"),
    "builtins.getattr": nested,
    "builtins.eval": lambda path: Calls(eval, f"open({path!r}, 'w')"),
    "subprocess.Popen": lambda path: np.array([Calls(subprocess.Popen, ["touch", path])], dtype=object),
    "builtins.list": lambda path: list,
    "numpy.load": lambda path: Calls(np.load, path),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("protocol", [2, 4])
def test_hostile_pickle_is_named_and_not_run(tmp_path, name, protocol):
    trace = tmp_path / "trace"
    content = pickle.dumps(HOSTILE[name](str(trace)), protocol)
    with pytest.raises(PickleRefused, match="get it from a source you trust") as caught:
        load_pickle(*pickled(tmp_path, content))
    assert name.split(".")[-1] in str(caught.value)
    assert not trace.exists()


@pytest.mark.parametrize(
    "content",
    [
        # attributes reached through a dotted name
        b"\x80\x04\x8c\x07_codecs\x8c\x0fencode.__call__\x93.",
        # a new body for a function of the reader
        b"c_codecs\nencode\n(N}(S'__defaults__'\n(S'zlib'\ntutb.",
        b"c_codecs\nencode\n(S'x'\nS'zlib'\ntR.",
        # bytes that would pass for pointers: as an array of objects, of records, and as a scalar
        b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n(I1\nt"
        b"cnumpy\ndtype\n(S'O8'\nI0\nI1\ntRI00\nS'AAAAAAAA'\ntb.",
        b"cnumpy\ndtype\n(S'V8'\nI0\nI1\ntR.",
        b"cnumpy\ndtype\n(S'f8'\nI0\nI1\ntR(I3\nS'|'\nN(S'a'\nt}S'a'\n(cnumpy\ndtype\n(S'O8'\ntRI0\ntsI8\nI1\nI0\ntb.",
        b"cnumpy.core.multiarray\nscalar\n(cnumpy\ndtype\n(S'O8'\ntRS'AAAAAAAA'\ntR.",
        b"\x80\x02X\x01\x00\x00\x00aQ.",
    ],
)
def test_tricks_on_what_is_allowed(tmp_path, content):
    with pytest.raises(PickleRefused, match="nothing was run"):
        load_pickle(*pickled(tmp_path, content))


def short_array(shape, objects):
    """A pickle of an array of objects whose list of them does not suit its shape."""
    content = pickle.dumps(np.arange(objects).astype(object), 2)
    before = b"K" + bytes([objects]) + b"\x85"  # the shape, a tuple of one small integer
    assert content.count(before) == 1
    return content.replace(
        before, b"".join(b"J" + n.to_bytes(4, "little", signed=True) for n in shape) + b"\x85"
    )


@pytest.mark.parametrize(("shape", "objects"), [((5000,), 1), ((4,), 3), ((3,), 4), ((-3,), 3)])
def test_an_array_with_fewer_objects_than_its_shape_is_refused(tmp_path, shape, objects):
    with pytest.raises(PickleRefused, match="content of another size"):
        load_pickle(*pickled(tmp_path, short_array(shape, objects)))
    assert load_pickle(*pickled(tmp_path, short_array((objects,), objects))).tolist() == list(range(objects))


@pytest.mark.parametrize(
    "content",
    [
        b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7fK\x01.",  # a frame of 2**63 - 1 bytes
        b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7f1.",  # so many bytes
        b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\x00\x001.",
    ],
)
def test_a_pickle_that_lies_about_its_size_is_a_message(tmp_path, content):
    with pytest.raises(DatasetError, match="cut off or no pickle"):
        load_pickle(*pickled(tmp_path, content))


DOUBLED = b")" + b"2\x86" * 60  # a tuple that holds a smaller one twice, 60 times: 2**60 items to walk
ARRAY = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR"
DTYPE = b"cnumpy\ndtype\n(S'%s'\ntR"


@pytest.mark.parametrize(
    "content",
    {
        "key": b"}" + DOUBLED + b"I1\ns.",
        "keys": b"}(" + DOUBLED + b"I1\nu.",
        "keys of the first protocol": b"(" + DOUBLED + b"I1\nd.",
        "member": b"\x8f(" + DOUBLED + b"\x90.",
        "member of a frozenset": b"(" + DOUBLED + b"\x91.",
        "member of an older set": b"c__builtin__\nset\n((" + DOUBLED + b"ltR.",
        "member of an older frozenset": b"c__builtin__\nfrozenset\n((" + DOUBLED + b"ltR.",
        "set of a tuple": b"c__builtin__\nset\n(" + DOUBLED + b"tR.",
        "large key": b"}L" + b"9" * 50 + b"L\nI1\ns.",
        "code of a dtype": b"cnumpy\ndtype\n(" + DOUBLED + b"tR.",
        "encoding": b"c_codecs\nencode\n(S'x'\n" + DOUBLED + b"tR.",
        "unit of time": DTYPE % b"M8" + b"(I4\nS'<'\nNNNI-1\nI-1\nI0\n(N(I%d\nI1\nI1\nI1\ntttb." % 10**11,
        "shape": ARRAY + b"(I1\n(" + DOUBLED + b"t" + DTYPE % b"f8" + b"I0\nS''\ntb.",
        "items without size": ARRAY + b"(I1\n(I%d\nt" % 10**15 + DTYPE % b"S0" + b"I0\nS''\ntb.",
        "key of an array": ARRAY + DOUBLED + b"I1\ns.",
        "bytes": b"c__builtin__\nbytes\n(I%d\ntR." % 10**11,
        "bytearray": b"c__builtin__\nbytearray\n(I%d\ntR." % 10**11,
    }.items(),
    ids=lambda item: item[0],
)
def test_a_small_pickle_asks_for_no_endless_work(tmp_path, content):
    with pytest.raises(PickleRefused, match="nothing was run"):
        load_pickle(*pickled(tmp_path, b"\x80\x04" + content[1]))


def test_a_place_far_away_in_the_memo_takes_no_memory(tmp_path):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert load_pickle(*pickled(tmp_path, b"\x80\x02]r\xff\xff\xff\x0f.")) == []
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000  # kB, of 4 GB


def test_pickle_needs_its_checksum(tmp_path):
    path, digest = pickled(tmp_path, pickle.dumps(PLAIN))
    with pytest.raises(TypeError):
        load_pickle(path)
    with pytest.raises(DatasetError, match="only with its digest"):
        load_pickle(path, "")
    with pytest.raises(DatasetError, match=f"expected sha256 {sha(b'')}, got {digest}"):
        load_pickle(path, sha(b""))


@pytest.mark.parametrize("content", [pickle.dumps(PLAIN)[:-9], b"", b"no pickle"])
def test_broken_pickle(tmp_path, content):
    with pytest.raises(DatasetError, match="cut off or no pickle"):
        load_pickle(*pickled(tmp_path, content))
