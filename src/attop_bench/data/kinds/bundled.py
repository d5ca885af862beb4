"""Real data that come with scikit-learn: no download."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from attop_bench.data.base import Dataset
from attop_bench.data.errors import DatasetError
from attop_bench.data.parameters import checked

#: Facts of the digit images, shared with the image recommendation made of them.
DIGITS_SOURCE = {
    "source": "UCI, Optical Recognition of Handwritten Digits (its test part), as bundled with scikit-learn",
    "licence": "CC BY 4.0",
}


@checked("dataset wdbc")
def wdbc(
    n_features: Annotated[int, Field(strict=True, ge=1, le=30)] = 30,
) -> Dataset:
    """Wisconsin diagnostic breast cancer: 569 tumours, 30 features, 212 malignant.

    Parameters
    ----------
    n_features : int from 1 to 30
        The first so many features. With all of them the top of the list is easy; Rudin (2005), section 5,
        takes the first six so that no ranking is perfect.
    """
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    facts = {
        "title": "Breast cancer Wisconsin (diagnostic)",
        "source": "UCI, Breast Cancer Wisconsin (Diagnostic), as bundled with scikit-learn",
        "licence": "CC BY 4.0",
        "positive": "malignant tumour",
    }
    # scikit-learn codes benign as 1.
    malignant = bunch.target == list(bunch.target_names).index("malignant")
    return Dataset("wdbc", bunch.data[:, :n_features], malignant, None, facts)


@checked("dataset digit")
def digit(
    digit: Annotated[int, Field(strict=True, ge=0, le=9)],
    pool: Annotated[int, Field(strict=True, ge=1, le=4)] = 1,
) -> Dataset:
    """One handwritten digit against the nine others: 1797 images of 8 by 8 pixels, about 10% positive.

    Parameters
    ----------
    digit : int from 0 to 9
        The positive class.
    pool : int from 1 to 4, a divisor of 8
        Side of the squares of pixels that become one, their mean. On all pixels every method is right at the
        top; with ``pool=2`` a linear score no longer is.
    """
    from sklearn.datasets import load_digits

    if 8 % pool:
        raise DatasetError(
            f"dataset digit: pool must divide 8, the pixels of a side, got {pool}"
        )
    bunch = load_digits()
    side = 8 // pool
    pixels = (
        bunch.data.reshape(-1, side, pool, side, pool)
        .mean(axis=(2, 4))
        .reshape(-1, side**2)
    )
    facts = {
        "title": f"Handwritten digit {digit} against the rest",
        **DIGITS_SOURCE,
        "positive": f"image of the digit {digit}",
    }
    return Dataset(f"digit-{digit}", pixels, bunch.target == digit, None, facts)
