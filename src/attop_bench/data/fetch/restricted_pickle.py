"""Pickles of plain data, read without running what they ask for."""

from __future__ import annotations

import math
import os
import pickle
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, ClassVar

import numpy as np

from attop_bench.data.base import DatasetError
from attop_bench.data.fetch.source import check_digest

__all__ = ["PickleRefused", "load_pickle"]


class PickleRefused(DatasetError):
    """A pickle that asks for more than plain data."""


class _Only:
    """A function that a pickle may call and not change."""

    __slots__ = ("_call",)

    def __init__(self, call: Callable[..., Any]):
        self._call = call

    def __call__(self, *args: Any) -> Any:
        return self._call(*args)

    def __setstate__(self, state: Any) -> None:
        raise PickleRefused("a change of the reader itself")


class _Dtype:
    """Stands for a dtype until its state is checked.

    A real dtype takes any fields and flags from its state, with which bytes of the pickle pass for
    pointers to objects; so it never sees the state.
    """

    def __init__(self, code: str, align: bool = False, copy: bool = True):
        if not isinstance(code, str):
            raise PickleRefused("a dtype that is no text")
        dtype = np.dtype(code)
        if dtype.kind not in "biufcmMSUO" or dtype.fields or dtype.subdtype:
            raise PickleRefused(f"an array of dtype {code!r}: only numbers, strings and objects are read")
        if dtype.itemsize == 0:  # of which there may be any number in no bytes
            raise PickleRefused("an array of items without size")
        self.dtype = dtype

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, order, subdtype, names, fields, *rest = state
        if subdtype is not None or names or fields:
            raise PickleRefused("an array of records: only numbers, strings and objects are read")
        if self.dtype.kind in "mM":  # whose unit is in the state alone
            unit, number, *_ = rest[-1][-1]
            if not isinstance(unit, bytes):
                raise PickleRefused("a unit of time that is no text")
            self.dtype = np.dtype(f"{self.dtype.kind}8[{int(number)}{unit.decode('ascii')}]")
        if order in ("<", ">"):
            self.dtype = self.dtype.newbyteorder(order)


class _Array(np.ndarray):
    """An array whose state is checked before it is taken."""

    def __setstate__(self, state: Any) -> None:
        version, shape, dtype, fortran, content = state
        if not isinstance(dtype, _Dtype):
            raise PickleRefused("an array without a dtype of its own")
        if dtype.dtype.kind == "O" and not isinstance(content, list):
            raise PickleRefused("an array of objects given as bytes")
        if isinstance(content, str):  # bytes of Python 2
            content = content.encode("latin1")
        if len(shape) > _MOST_AXES or not all(isinstance(n, int) for n in shape):
            raise PickleRefused("an array whose shape is no shape")
        # NumPy takes objects by the shape, also from beyond the end of a list that is shorter.
        size = math.prod(shape) * (1 if dtype.dtype.kind == "O" else dtype.dtype.itemsize)
        if min(shape, default=0) < 0 or len(content) != size:
            raise PickleRefused(f"an array of shape {shape} with content of another size")
        super().__setstate__((version, shape, dtype.dtype, fortran, content))


def _reconstruct(kind: object, shape: tuple[int, ...], code: Any) -> _Array:
    return _Array.__new__(_Array, (0,), "b")


def _scalar(dtype: _Dtype, content: Any = b"") -> Any:
    if not isinstance(dtype, _Dtype) or dtype.dtype.kind == "O":
        raise PickleRefused("a NumPy scalar of objects")
    content = content.encode("latin1") if isinstance(content, str) else content
    return np.frombuffer(content, dtype.dtype, 1)[0]


def _from_buffer(buffer: Any, dtype: _Dtype, shape: tuple[int, ...], order: str) -> np.ndarray:
    if not isinstance(dtype, _Dtype) or dtype.dtype.kind == "O":
        raise PickleRefused("an array of objects given as bytes")
    return np.frombuffer(buffer, dtype.dtype).reshape(shape, order="F" if order == "F" else "C")


def _encode(text: str, encoding: str = "latin1") -> bytes:
    if not isinstance(encoding, str) or encoding not in ("latin1", "latin-1", "utf-8", "ascii"):
        raise PickleRefused("an encoding that text does not have")
    return text.encode(encoding)


def _set_of(kind: type) -> Callable[..., Any]:
    def make(items: list[Any]) -> Any:
        if not isinstance(items, list):
            raise PickleRefused("a set of what is no list")
        _check_keys(items)
        return kind(items)

    return make


def _bytes_of(kind: type) -> Callable[..., Any]:
    def make(content: Any = b"", *encoding: str) -> Any:
        if not isinstance(content, (str, bytes)):  # a number would ask for so many
            raise PickleRefused("bytes of what is no text")
        return kind(content, *encoding)

    return make


def _check_keys(keys: list[Any]) -> None:
    """Refuse keys that take long to hash.

    A tuple is hashed item by item, each time: where each of many holds the one before twice, the time doubles
    with each, and the file grows by some bytes.
    """
    for key in keys:
        parts = [key]
        for part in parts:
            if isinstance(part, int) and part.bit_length() > 64:
                raise PickleRefused("a key or member of a set of more than 64 bits")
            if isinstance(part, tuple):
                if len(parts) + len(part) > _LONGEST_KEY:
                    raise PickleRefused(f"a key or member of a set of more than {_LONGEST_KEY} parts")
                parts += part


#: NumPy's own limit; parts of a tuple, tuples in it included.
_MOST_AXES, _LONGEST_KEY = 64, 100

_BUILTINS = {
    "set": _Only(_set_of(set)),
    "frozenset": _Only(_set_of(frozenset)),
    "complex": _Only(complex),
    "bytes": _Only(_bytes_of(bytes)),
    "bytearray": _Only(_bytes_of(bytearray)),
}
_NUMPY: dict[str, Callable[..., Any]] = {
    "multiarray._reconstruct": _reconstruct,
    "multiarray.scalar": _scalar,
    "numeric._frombuffer": _from_buffer,
}
_ALLOWED: dict[str, Any] = {
    "_codecs.encode": _Only(_encode),
    "numpy.ndarray": "numpy.ndarray",  # only named, as what to reconstruct; never called
    "numpy.dtype": _Only(_Dtype),
    **{f"{module}.{name}": f for module in ("builtins", "__builtin__") for name, f in _BUILTINS.items()},
    **{
        f"{package}.{name}": _Only(f)
        for package in ("numpy.core", "numpy._core")
        for name, f in _NUMPY.items()
    },
}


def _asking(opcode: bytes, keys: Callable[[Any], list[Any]], into: Callable[[Any], Any]) -> Any:
    """Return the reader's function for an opcode that hashes, which looks at what it hashes before."""
    load: Any = pickle._Unpickler.dispatch[opcode[0]]

    def asked(reader: Any) -> None:
        if type(into(reader)) not in (dict, set):
            raise PickleRefused("keys of what is no dict and no set")
        _check_keys(keys(reader))
        load(reader)

    return asked


# In Python: the unpickler in C cannot be asked before it hashes, and takes memory for any place in its memo.
# The items since a mark are its stack; what lies below the mark is on its metastack.
class _Reader(pickle._Unpickler):
    dispatch: ClassVar = {
        **pickle._Unpickler.dispatch,
        **{
            opcode[0]: _asking(opcode, keys, into)
            for opcode, keys, into in (
                (pickle.SETITEM, lambda r: r.stack[-2:-1], lambda r: r.stack[-3]),
                (pickle.SETITEMS, lambda r: r.stack[::2], lambda r: r.metastack[-1][-1]),
                (pickle.ADDITEMS, lambda r: r.stack, lambda r: r.metastack[-1][-1]),
                (pickle.DICT, lambda r: r.stack[::2], lambda r: {}),
                (pickle.FROZENSET, lambda r: r.stack, lambda r: set()),
            )
        },
    }

    def __init__(self, file: BinaryIO, also: Mapping[str, Any]):
        super().__init__(file, encoding="latin1")
        # A class is asked for new objects, which a function in its place cannot give.
        self.allowed = _ALLOWED | {n: f if isinstance(f, (type, str)) else _Only(f) for n, f in also.items()}

    def find_class(self, module: str, name: str) -> Any:
        try:
            return self.allowed[f"{module}.{name}"]
        except KeyError:
            raise PickleRefused(f"the global {module}.{name}") from None

    def persistent_load(self, key: Any) -> Any:
        raise PickleRefused("an object kept outside the file")


def load_pickle(path: str | os.PathLike[str], pinned: str, also: Mapping[str, Any] | None = None) -> Any:
    """Read a pickle of plain data after its checksum.

    Parameters
    ----------
    path : path
    pinned : str
        Digest of the file, as in `Source.digest`; there is no reading without.
    also : mapping, optional
        Dotted name of a further global -> stand-in that does no harm: a function, a class that has
        ``__setstate__``, or, for what is only named, a string.

    Returns
    -------
    data
        Dicts, lists, tuples, sets, strings, bytes, numbers, None, and arrays of numbers, strings or such
        objects (a subclass of ndarray, which ``np.asarray`` makes plain). Strings of Python 2 are decoded
        as Latin-1. Keys and members of sets have at most 100 parts, of which whole numbers have 64 bits.

    Raises
    ------
    PickleRefused
        If the pickle asks for anything else; the message names it. Nothing it asked for was run.
    DatasetError
        If the checksum is another, or the file is cut off or no pickle.
    """
    if not pinned:
        raise DatasetError(f"{path}: a pickle is read only with its digest: give it in the catalogue")
    with open(path, "rb") as file:
        check_digest(file, pinned, path)
        try:
            return _Reader(file, also or {}).load()
        except PickleRefused as error:
            raise PickleRefused(
                f"{path} asks for {error}, which plain data have no need of; nothing was run: do not "
                "open it by other means, and get it from a source you trust"
            ) from None
        except Exception as error:  # a damaged pickle raises nearly anything, MemoryError too
            raise DatasetError(
                f"{path} is cut off or no pickle of plain data ({type(error).__name__}: {error}): "
                "get it again"
            ) from None
