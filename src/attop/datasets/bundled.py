"""Real data that come with scikit-learn: no download."""

from __future__ import annotations

from attop.datasets.base import Dataset
from attop.datasets.parameters import integer

__all__ = ["DIGITS_SOURCE", "digit", "wdbc"]

#: Facts of the digit images, shared with the image recommendation made of them.
DIGITS_SOURCE = {
    "source": "UCI, Optical Recognition of Handwritten Digits (its test part), as bundled with scikit-learn",
    "licence": "CC BY 4.0",
}


def wdbc() -> Dataset:
    """Wisconsin diagnostic breast cancer: 569 tumours, 30 features, 212 malignant.

    Notes
    -----
    Malignant is the positive class. scikit-learn codes benign as 1, so its target is turned round.
    """
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    facts = {
        "title": "Breast cancer Wisconsin (diagnostic)",
        "source": "UCI, Breast Cancer Wisconsin (Diagnostic), as bundled with scikit-learn",
        "licence": "CC BY 4.0",
        "positive": "malignant tumour",
    }
    return Dataset(
        "wdbc", bunch.data, bunch.target == list(bunch.target_names).index("malignant"), None, facts
    )


def digit(digit: int) -> Dataset:
    """One handwritten digit against the nine others: 1797 images, 64 pixels, about 10% positive.

    Parameters
    ----------
    digit : int from 0 to 9
        The positive class.

    Raises
    ------
    DatasetError
        If `digit` is anything else.
    """
    from sklearn.datasets import load_digits

    integer("dataset digit", "digit", digit, 0, 9)
    bunch = load_digits()
    facts = {
        "title": f"Handwritten digit {digit} against the rest",
        **DIGITS_SOURCE,
        "positive": f"image of the digit {digit}",
    }
    return Dataset(f"digit-{digit}", bunch.data, bunch.target == digit, None, facts)
