"""All programs of this folder, and what makes their data."""

from __future__ import annotations

import pathlib
from typing import Callable, Dict, List

from frameworks import notebooks_data, nvidia_data, projects_data, single_data
from frameworks.notebooks import NOTEBOOKS
from frameworks.nvidia import NVIDIA
from frameworks.projects import PROJECTS
from frameworks.single import SINGLE
from frameworks.tests_of_frameworks import TESTS
from program import Program

FRAMEWORKS: List[Program] = [*NOTEBOOKS, *NVIDIA, *PROJECTS, *SINGLE, *TESTS]

MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {
    **notebooks_data.MAKERS, **nvidia_data.MAKERS, **projects_data.MAKERS,
    **single_data.MAKERS,
}  # fmt: skip
