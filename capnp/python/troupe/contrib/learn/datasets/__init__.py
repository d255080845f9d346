"""Data sets in files."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.data_files.csv_files import load_boston, load_iris
from troupe.contrib.learn.datasets import base, mnist

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["base", "load_boston", "load_iris", "mnist"]
