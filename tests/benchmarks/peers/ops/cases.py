"""All cases of the comparison of ops."""

import itertools
import re

from . import (
    arrays,
    convolutions,
    elementwise,
    gradients,
    images,
    linear_algebra,
    loops,
    networks,
    random_numbers,
    reductions,
    searches,
    state,
    strings,
)
from .case import to_workload

FAMILIES = [
    elementwise,
    reductions,
    searches,
    linear_algebra,
    arrays,
    convolutions,
    networks,
    loops,
    images,
    random_numbers,
    strings,
    state,
    gradients,
]

OPS = {
    name: to_workload(name, case)
    for name, case in itertools.chain.from_iterable(family.CASES.items() for family in FAMILIES)
}


def ops_matching(pattern):
    """The names in which the regular expression is found, in the order of the files."""
    return [name for name in OPS if re.search(pattern, name)]
