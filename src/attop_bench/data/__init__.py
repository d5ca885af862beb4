"""Data sets: loading, preparing, simulating and splitting."""

from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.build import build, make
from attop_bench.data.catalogue import KINDS, Kind, Stage, input_files, stage_parameters
from attop_bench.data.splits.protocols import PROTOCOLS, Fold, make_folds

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
