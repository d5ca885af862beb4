"""Size of the top of a ranked list."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

_KINDS = ("k", "tau", "kappa")
_NOT_A_TOP = "a top is written as k=10, k=100 of 30000, tau=0.05, tau=0.05 nearest, kappa=0.25 or 5%"


@dataclass(frozen=True)
class Top:
    """The top of a ranked list: `k` items, a share `tau` of the items or `kappa` of the positives.

    Exactly one of the three is given.

    Parameters
    ----------
    k : int, at least 1
        Number of items.
    out_of : int, above `k`
        With `k`: the length of the list that will be ranked, of which a sample is cut at the same share: the
        whole number nearest to ``k * n / out_of``, a half up, and at least 1. In a mapping it is called "of":
        ``{"k": 100, "of": 30000}`` is 1 item of a fold of 300 and 13 of one of 4,000.
    tau : float in (0, 1)
        Fraction of all items; ``k = ceil(tau * n)``, as in Boyd et al. (2012), appendix B.
    round : "nearest", optional
        With `tau`: ``k`` is the whole number nearest to ``tau * n``, a half up, and at least 1, as in section
        3.1 of the same paper.
    kappa : float, positive
        Fraction of the positives; ``k = round(kappa * n_pos)``, at least 1, as in Kar et al. (2015).

    Examples
    --------
    >>> Top(tau=0.05).resolve(n=90, n_pos=9)
    5
    >>> Top.of({"k": 20})
    Top(k=20)
    >>> Top.of({"tau": 0.05, "round": "nearest"}).resolve(n=105, n_pos=67)
    5
    >>> Top.of({"k": 100, "of": 30000}).resolve(n=4000, n_pos=80)
    13
    >>> Top.of(0.05), Top.of("5%")
    (Top(tau=0.05), Top(tau=0.05))
    """

    k: int | None = None
    tau: float | None = None
    kappa: float | None = None
    out_of: int | None = None
    round: str | None = None

    def __post_init__(self) -> None:
        parameters = {
            name: v for name in _KINDS if (v := getattr(self, name)) is not None
        }
        if len(parameters) != 1:
            raise ValueError(
                f"Top takes exactly one of k, tau and kappa, got {parameters or 'none'}: "
                "write for example Top(k=20) or Top(tau=0.05)"
            )
        (name, value), *_ = parameters.items()
        if not _is_number(value) or not math.isfinite(value):
            raise TypeError(f"{name} must be a finite number, got {value!r}")
        if self.out_of is not None:
            self._check_list(name, value)
        if self.round is not None and (self.round != "nearest" or name != "tau"):
            raise ValueError(
                f"round must be 'nearest' and goes with tau, got {self.round!r} with {name}={value!r}: "
                "leave it out"
            )
        if name == "k":
            if value != int(value) or value < 1:
                raise ValueError(
                    f"k must be an integer of at least 1, got {value!r}"
                )
            object.__setattr__(self, "k", int(value))
            return
        if name == "tau" and not 0 < value < 1:
            raise ValueError(
                f"tau must lie strictly between 0 and 1, got {value!r}: "
                "it is a fraction of the items, for 5% write 0.05"
            )
        if name == "kappa" and value <= 0:
            raise ValueError(f"kappa must be positive, got {value!r}")
        # The decimal that NumPy shows of a number of fewer digits.
        object.__setattr__(
            self, name, float(str(value) if hasattr(value, "dtype") else value)
        )

    def _check_list(self, name: str, value: float) -> None:
        length: Any = self.out_of
        if name != "k":
            raise ValueError(
                f"the length of the list ('of') goes with k, got {name}={value!r}: leave it out"
            )
        if not _is_whole(length):
            raise TypeError(
                f"the length of the list ('of') must be an integer, got {length!r}"
            )
        if not length > value:
            raise ValueError(
                f"k must be below the length of the list it is taken of, got {value!r} of {length!r}: "
                "write the k you look at and the items you will rank, such as {'k': 100, 'of': 30000}"
            )
        object.__setattr__(self, "out_of", int(length))

    @classmethod
    def of(cls, value: Top | float | str | Mapping[str, Any]) -> Top:
        """Read a `Top` from itself, a number, text or a mapping such as ``{"tau": 0.05}``.

        A whole number is `k`, one between 0 and 1 is `tau`. Text is a percentage of the items, such as
        ``"5%"``, or what `parse` reads.
        """
        if isinstance(value, Top):
            return value
        if isinstance(value, str):
            return cls.parse(value)
        if isinstance(value, Mapping):
            unknown = set(value) - {*_KINDS, "of", "round"}
            if unknown:
                raise ValueError(
                    f"unknown key {sorted(map(str, unknown))} in {dict(value)!r}: use one of k, tau, kappa, "
                    "k with of, or tau with round"
                )
            return cls(
                **{"out_of" if key == "of" else key: v for key, v in value.items()}
            )
        if not _is_number(value):
            raise TypeError(
                f"cannot read a top from {value!r}: give k, or a mapping such as {{'tau': 0.05}}"
            )
        if 0 < value < 1:
            return cls(tau=value)
        if not float(value).is_integer():
            raise TypeError(
                "a bare number must be an integer, which is k, or lie between 0 and 1, a fraction of the "
                f"items, got {value!r}: write for example 10 or 0.05"
            )
        return cls(k=int(value))

    @classmethod
    def parse(cls, text: str) -> Top:
        """Read the text of a top, as `str` gives it, such as ``"k=100 of 30000"``, or a percentage."""
        if text.strip().endswith("%"):
            return cls._percentage(text)
        name, _, value = text.partition("=")
        number, separator, length = value.partition(" of ")
        number, _, rule = number.partition(" ")
        try:
            if name in _KINDS:
                parameters = {name: _number(number)} | (
                    {"of": _number(length)} if separator else {}
                )
                return cls.of(parameters | ({"round": rule} if rule else {}))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{_NOT_A_TOP}, got {text!r}: {error}") from None
        raise ValueError(f"{_NOT_A_TOP}, got {text!r}")

    @classmethod
    def _percentage(cls, text: str) -> Top:
        """Read a percentage of the items, by its decimals: "0.7%" is 0.007."""
        try:
            percent = Decimal(text.strip().removesuffix("%").strip())
        except InvalidOperation:
            raise ValueError(f"{_NOT_A_TOP}, got {text!r}") from None
        if percent.is_nan():
            raise ValueError(f"{_NOT_A_TOP}, got {text!r}")
        if not 0 < percent < 100:
            raise ValueError(
                f"a percentage of the items must lie strictly between 0 and 100, got {text!r}"
            )
        return cls(tau=float(percent / 100))

    def as_share(self, n: int) -> Top:
        """Make a k of a list of `n` items the same share of any part of it: k of n.

        Other tops, and a k of `n` or more, stay what they are.
        """
        return (
            Top(k=self.k, out_of=n)
            if self.k is not None and self.out_of is None and self.k < n
            else self
        )

    def resolve(
        self, n: int, n_pos: int | None, *, where: str = "this sample"
    ) -> int:
        """Number of items at the top of a sample.

        Parameters
        ----------
        n, n_pos : int
            Items and positives in the sample; `n_pos` is None if it is unknown.
        where : str
            What the sample is called in the error message.

        Returns
        -------
        k : int, between 1 and `n`

        Raises
        ------
        ValueError
            If the sample is too small, or the top is a share of positives of which the number is unknown.
        """
        if self.k is not None:
            k = (
                self.k
                if self.out_of is None
                else _nearest(Fraction(self.k * n, self.out_of))
            )
        elif self.tau is not None:
            # The decimal the user wrote, not its binary neighbour: ceil(0.07 * 100) must be 7.
            share = Fraction(str(self.tau)) * n
            k = math.ceil(share) if self.round is None else _nearest(share)
        elif n_pos is None:
            raise ValueError(
                f"{self} is a share of the positives, and how many {where} has is unknown: give k or tau"
            )
        else:
            k = _nearest(Fraction(str(self.kappa)) * n_pos)
        if not 1 <= k <= n:
            positives = "" if n_pos is None else f" ({n_pos} positive)"
            raise ValueError(
                f"{self} asks for {k} of the {n} items{positives} of {where}: "
                "lower it or give a fraction of the items (tau)"
            )
        return k

    @property
    def depends_on_sample(self) -> bool:
        """True if the number of items changes with the sample."""
        return self.k is None or self.out_of is not None

    def as_dict(self) -> dict[str, Any]:
        """Name the parameters that were set, for example ``{"k": 20}`` or ``{"k": 100, "of": 30000}``."""
        parameters = {name: getattr(self, name) for name in _KINDS} | {
            "of": self.out_of,
            "round": self.round,
        }
        return {name: v for name, v in parameters.items() if v is not None}

    @property
    def size(self) -> tuple[str, float]:
        """Kind and value; k of a list is a share of the items, like tau."""
        if self.k is not None and self.out_of is not None:
            return "tau", self.k / self.out_of
        (kind, value), *_ = self.as_dict().items()
        return kind, float(value)

    def __str__(self) -> str:
        (name, value), *_ = self.as_dict().items()
        length = "" if self.out_of is None else f" of {self.out_of}"
        return f"{name}={value!r}{length}" + (
            "" if self.round is None else f" {self.round}"
        )

    def __repr__(self) -> str:
        names = {"of": "out_of"}
        return f"Top({', '.join(f'{names.get(name, name)}={v!r}' for name, v in self.as_dict().items())})"


def sort_tops(tops: Iterable[str]) -> list[str]:
    """Sort the distinct tops, written as `Top.parse` reads them, by kind and size."""
    sizes = {text: Top.parse(text).size for text in dict.fromkeys(tops)}
    return sorted(
        sizes, key=lambda text: (_KINDS.index(sizes[text][0]), sizes[text][1])
    )


def main_top(tops: Iterable[str]) -> str:
    """Choose the top that is shown where there is room for one: the middle one, the smaller of two."""
    ordered = sort_tops(tops)
    return ordered[(len(ordered) - 1) // 2]


def _nearest(number: Fraction) -> int:
    """Round to the nearest whole number, halves up, and to at least 1."""
    return max(1, math.floor(number + Fraction(1, 2)))


def _number(text: str) -> float:
    """Read a number, an integer where it is written as one."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def _is_whole(value: Any) -> bool:
    return _is_number(value) and math.isfinite(value) and value == int(value)


def _is_number(value: object) -> bool:
    if (
        isinstance(value, str | bytes | bool)
        or getattr(value, "dtype", "") == "bool"
    ):
        return False
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False
    return True
