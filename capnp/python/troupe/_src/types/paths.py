"""The types of names of files and folders."""

from __future__ import annotations

import os
from typing import Union

PathLike = Union[str, os.PathLike[str]]
