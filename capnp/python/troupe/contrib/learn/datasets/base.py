"""Data sets in files of comma-separated values."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.contrib.mnist import Datasets
from troupe._src.data_files.csv_files import (
    Dataset,
    load_boston,
    load_csv_with_header,
    load_csv_without_header,
    load_iris,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "Dataset",
    "Datasets",
    "load_boston",
    "load_csv_with_header",
    "load_csv_without_header",
    "load_iris",
]
