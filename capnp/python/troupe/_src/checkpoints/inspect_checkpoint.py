"""Prints what a checkpoint has."""

from __future__ import annotations

import re

import numpy as np

from troupe._src.checkpoints.checkpoint_reader import NewCheckpointReader
from troupe._src.types import errors
from troupe._src.types.paths import PathLike


def print_tensors_in_checkpoint_file(
    file_name: PathLike,
    tensor_name: str,
    all_tensors: bool,
    all_tensor_names: bool = False,
    count_exclude_pattern: str = "",
) -> None:
    """Prints the tensors of a checkpoint, or what is wrong with it.

    Args:
        file_name: The name of the checkpoint.
        tensor_name: The tensor to print; without one, names, types and shapes of all.
        all_tensors: Prints the values of all.
        all_tensor_names: Prints the names of all.
        count_exclude_pattern: A regular expression of names that do not count as parameters.
    """
    try:
        reader = NewCheckpointReader(file_name)
        shapes = reader.get_variable_to_shape_map()
        if all_tensors or all_tensor_names:
            for name in sorted(shapes):
                print("tensor_name: ", name)
                if all_tensors:
                    print(reader.get_tensor(name))
        elif not tensor_name:
            print(reader.debug_string().decode())
        else:
            print("tensor_name: ", tensor_name)
            print(reader.get_tensor(tensor_name))
    except errors.OpError as error:
        print(error)
        return
    if count_exclude_pattern:
        excluded = [name for name in shapes if re.search(count_exclude_pattern, name)]
        parameters = sum(int(np.prod(shapes.pop(name))) for name in excluded)
        print(
            f"# Excluding {len(excluded)} tensors ({parameters} params) that match "
            f"{count_exclude_pattern} when counting."
        )
    total = sum(int(np.prod(shape)) for shape in shapes.values())
    print(f"# Total number of params: {total}")
