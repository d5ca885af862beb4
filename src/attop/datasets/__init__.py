"""Data sets: loading, preparing, simulating and splitting."""

from attop.datasets.base import Dataset, DatasetError
from attop.datasets.build import build, make
from attop.datasets.catalogue import KINDS, Kind, Stage, input_files, stage_parameters
from attop.datasets.splits.protocols import PROTOCOLS, Fold, make_folds

__all__ = [
    "KINDS",
    "PROTOCOLS",
    "Dataset",
    "DatasetError",
    "Fold",
    "Kind",
    "Stage",
    "build",
    "input_files",
    "make",
    "make_folds",
    "stage_parameters",
]
