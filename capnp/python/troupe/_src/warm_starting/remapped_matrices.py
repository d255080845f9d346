"""Matrices of a checkpoint whose rows and columns are those of other vocabularies."""

from __future__ import annotations

import math
from typing import Any, Callable, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.variables.initializers import TruncatedNormal, Zeros

MakeValues = Callable[..., Any]


def load_and_remap_matrix_initializer(
    ckpt_path: Any,
    old_tensor_name: str,
    new_row_vocab_size: int,
    new_col_vocab_size: int,
    old_row_vocab_size: int = -1,
    old_row_vocab_file: Any = None,
    new_row_vocab_file: Any = None,
    old_col_vocab_file: Any = None,
    new_col_vocab_file: Any = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    initializer: Optional[MakeValues] = None,
    max_rows_in_memory: int = -1,
) -> MakeValues:
    """An initializer that takes a matrix from a checkpoint, with rows and columns of other words.

    Row i becomes that row of the saved matrix whose word stands in line i of the new vocabulary;
    so do columns. Without files, rows or columns stay as they are. The variable may be cut along
    its rows. As `tf.contrib.framework.load_and_remap_matrix_initializer`.

    Args:
        ckpt_path: The prefix of the checkpoint's files.
        old_tensor_name: The name of the saved matrix of float32.
        new_row_vocab_size: How many rows have words.
        new_col_vocab_size: How many columns have words.
        old_row_vocab_size: How many words of the old vocabulary of rows count, by default all.
        old_row_vocab_file: The file with the words of the saved rows, one in each line.
        new_row_vocab_file: The file with those of the new rows.
        old_col_vocab_file: The file with those of the saved columns.
        new_col_vocab_file: The file with those of the new columns.
        num_row_oov_buckets: How many rows for other words follow.
        num_col_oov_buckets: How many columns for other words follow.
        initializer: Makes the values, of a shape that it is given, of what is not in the
            checkpoint; by default zeros.
        max_rows_in_memory: How many rows are read at a time, by default all.

    Returns:
        A function of a shape, a dtype and the part of a variable that is initialized.

    Raises:
        TypeError: The initializer is not callable.
    """
    make_values = Zeros() if initializer is None else initializer
    if not callable(make_values):
        raise TypeError(
            f"initializer must be callable, instead of being {initializer} of type "
            f"{type(initializer)}."
        )
    columns = new_col_vocab_size + num_col_oov_buckets
    rows = new_row_vocab_size + num_row_oov_buckets

    def initial_values(
        shape: Any, dtype: DTypeLike = dtypes.float32, partition_info: Any = None
    ) -> Any:
        if as_dtype(dtype) != dtypes.float32:
            raise TypeError(f"Currently, only float32 is supported. Received dtype: {dtype}")
        sizes = [int(size) for size in shape]
        if len(sizes) != 2 or sizes[0] <= 0 or sizes[1] != columns:
            raise ValueError(f"Expected the shape of rows of {columns} columns, but got {shape}")
        offset = partition_info.single_offset(sizes) if partition_info is not None else 0
        if offset + sizes[0] > rows:
            raise ValueError(
                f"Trying to initialize {sizes[0]} rows from row {offset} on, but there are "
                f"{new_row_vocab_size} of words and {num_row_oov_buckets} others."
            )
        other_rows = min(sizes[0], max(0, offset + sizes[0] - new_row_vocab_size))
        if other_rows == sizes[0]:
            return make_values(sizes)
        return load_and_remap_matrix(
            ckpt_path, old_tensor_name, offset, sizes[0] - other_rows, new_col_vocab_size,
            make_values, old_row_vocab_size, old_row_vocab_file, new_row_vocab_file,
            old_col_vocab_file, new_col_vocab_file, other_rows, num_col_oov_buckets,
            max_rows_in_memory,
        )  # fmt: skip

    return initial_values


def load_and_remap_matrix(
    ckpt_path: Any,
    old_tensor_name: str,
    new_row_vocab_offset: int,
    num_rows_to_load: int,
    new_col_vocab_size: int,
    initializer: MakeValues,
    old_row_vocab_size: int = -1,
    old_row_vocab_file: Any = None,
    new_row_vocab_file: Any = None,
    old_col_vocab_file: Any = None,
    new_col_vocab_file: Any = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    max_rows_in_memory: int = -1,
) -> Tensor:
    """Rows of that matrix, from row `new_row_vocab_offset` on, and those of other words.

    The arguments are those of `load_and_remap_matrix_initializer`, for one part of the matrix.
    """
    for name, count in (("row", num_row_oov_buckets), ("col", num_col_oov_buckets)):
        if count < 0:
            raise ValueError(f"num_{name}_oov_buckets must be >= 0, but received {count}")
    remaps_rows = _is_given("row", old_row_vocab_file, new_row_vocab_file)
    remaps_columns = _is_given("col", old_col_vocab_file, new_col_vocab_file)
    if not (remaps_rows or remaps_columns):
        raise ValueError(
            "Must provide either row or column vocab files. If no remapping is necessary, "
            "tf.train.init_from_checkpoint does it."
        )
    found_rows: Any = num_rows_to_load
    found_columns: Any = new_col_vocab_size
    row_end = new_row_vocab_offset + num_rows_to_load
    row_places: Any = list(range(new_row_vocab_offset, row_end))
    column_places: Any = []
    if remaps_rows:
        row_places, found_rows = gen_ops.generate_vocab_remapping(
            new_row_vocab_file, old_row_vocab_file, new_vocab_offset=new_row_vocab_offset,
            num_new_vocab=num_rows_to_load, old_vocab_size=old_row_vocab_size,
        )  # fmt: skip
    if remaps_columns:
        column_places, found_columns = gen_ops.generate_vocab_remapping(
            new_col_vocab_file, old_col_vocab_file, new_vocab_offset=0,
            num_new_vocab=new_col_vocab_size,
        )  # fmt: skip
    missing = num_rows_to_load * new_col_vocab_size - found_rows * found_columns
    matrix: Tensor = gen_ops.load_and_remap_matrix(
        ckpt_path,
        old_tensor_name,
        convert_to_tensor(row_places, dtypes.int64),
        convert_to_tensor(column_places, dtypes.int64),
        array_ops.reshape(initializer([missing, 1]), [-1]),
        num_rows=num_rows_to_load,
        num_cols=new_col_vocab_size,
        max_rows_in_memory=max_rows_in_memory,
    )
    if num_row_oov_buckets > 0:
        others = convert_to_tensor(initializer([num_row_oov_buckets, new_col_vocab_size]))
        matrix = array_ops.concat([matrix, others], 0)
    if num_col_oov_buckets > 0:
        all_rows = num_rows_to_load + num_row_oov_buckets
        others = convert_to_tensor(initializer([all_rows, num_col_oov_buckets]))
        matrix = array_ops.concat([matrix, others], 1)
    return matrix


def load_embedding_initializer(
    ckpt_path: Any,
    embedding_tensor_name: str,
    new_vocab_size: int,
    embedding_dim: int,
    old_vocab_file: Any,
    new_vocab_file: Any,
    old_vocab_size: int = -1,
    num_oov_buckets: int = 0,
    initializer: Optional[MakeValues] = None,
    max_rows_in_memory: int = -1,
) -> MakeValues:
    """An initializer that takes the rows of an embedding from a checkpoint.

    As `tf.contrib.framework.load_embedding_initializer`.

    Args:
        ckpt_path: The prefix of the checkpoint's files.
        embedding_tensor_name: The name of the saved embedding.
        new_vocab_size: How many words the new vocabulary has.
        embedding_dim: The size of each row.
        old_vocab_file: The file with the words of the saved rows, one in each line.
        new_vocab_file: The file with those of the new rows.
        old_vocab_size: How many words of the old file count, by default all.
        num_oov_buckets: How many rows for other words follow.
        initializer: Makes the rows of words that are new; by default truncated normal numbers of
            the deviation 1 / sqrt(embedding_dim).
        max_rows_in_memory: How many rows are read at a time, by default all.

    Returns:
        An initializer, as that of `load_and_remap_matrix_initializer`.
    """
    return load_and_remap_matrix_initializer(
        ckpt_path,
        embedding_tensor_name,
        new_vocab_size,
        embedding_dim,
        old_vocab_size,
        old_vocab_file,
        new_vocab_file,
        num_row_oov_buckets=num_oov_buckets,
        initializer=initializer or TruncatedNormal(stddev=1 / math.sqrt(embedding_dim)),
        max_rows_in_memory=max_rows_in_memory,
    )


def load_linear_multiclass_bias_initializer(
    ckpt_path: Any,
    bias_tensor_name: str,
    new_class_vocab_size: int,
    old_class_vocab_file: Any,
    new_class_vocab_file: Any,
    num_class_oov_buckets: int = 0,
    initializer: Optional[MakeValues] = None,
    max_rows_in_memory: int = -1,
) -> MakeValues:
    """An initializer that takes the biases of classes, a column, from a checkpoint.

    As `tf.contrib.framework.load_linear_multiclass_bias_initializer`.

    Args:
        ckpt_path: The prefix of the checkpoint's files.
        bias_tensor_name: The name of the saved biases.
        new_class_vocab_size: How many classes the new vocabulary has.
        old_class_vocab_file: The file with the names of the saved classes, one in each line.
        new_class_vocab_file: The file with those of the new ones.
        num_class_oov_buckets: How many rows for other classes follow.
        initializer: Makes the biases of classes that are new; by default zeros.
        max_rows_in_memory: How many rows are read at a time, by default all.

    Returns:
        An initializer, as that of `load_and_remap_matrix_initializer`.
    """
    return load_and_remap_matrix_initializer(
        ckpt_path,
        bias_tensor_name,
        new_class_vocab_size,
        1,
        old_row_vocab_file=old_class_vocab_file,
        new_row_vocab_file=new_class_vocab_file,
        num_row_oov_buckets=num_class_oov_buckets,
        initializer=initializer,
        max_rows_in_memory=max_rows_in_memory,
    )


def load_variable_slot_initializer(
    ckpt_path: Any,
    old_tensor_name: str,
    primary_partition_info: Any,
    new_row_vocab_size: int,
    new_col_vocab_size: int,
    old_row_vocab_file: Any = None,
    new_row_vocab_file: Any = None,
    old_col_vocab_file: Any = None,
    new_col_vocab_file: Any = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    initializer: Optional[MakeValues] = None,
    max_rows_in_memory: int = -1,
) -> MakeValues:
    """An initializer of an optimizer's slot, which is cut as its variable is.

    As `tf.contrib.framework.load_variable_slot_initializer`.

    Args:
        ckpt_path: The prefix of the checkpoint's files.
        old_tensor_name: The name of the saved slot.
        primary_partition_info: The part of the variable that the slot belongs to.
        new_row_vocab_size: How many rows have words.
        new_col_vocab_size: How many columns have words.
        old_row_vocab_file: The file with the words of the saved rows, one in each line.
        new_row_vocab_file: The file with those of the new rows.
        old_col_vocab_file: The file with those of the saved columns.
        new_col_vocab_file: The file with those of the new columns.
        num_row_oov_buckets: How many rows for other words follow.
        num_col_oov_buckets: How many columns for other words follow.
        initializer: Makes the values of what is not in the checkpoint; by default zeros.
        max_rows_in_memory: How many rows are read at a time, by default all.

    Returns:
        An initializer, as that of `load_and_remap_matrix_initializer`.
    """
    of_part = load_and_remap_matrix_initializer(
        ckpt_path,
        old_tensor_name,
        new_row_vocab_size,
        new_col_vocab_size,
        old_row_vocab_file=old_row_vocab_file,
        new_row_vocab_file=new_row_vocab_file,
        old_col_vocab_file=old_col_vocab_file,
        new_col_vocab_file=new_col_vocab_file,
        num_row_oov_buckets=num_row_oov_buckets,
        num_col_oov_buckets=num_col_oov_buckets,
        initializer=initializer,
        max_rows_in_memory=max_rows_in_memory,
    )

    def initial_values(
        shape: Any, dtype: DTypeLike = dtypes.float32, partition_info: Any = None
    ) -> Any:
        return of_part(shape, dtype, partition_info=primary_partition_info)

    return initial_values


def _is_given(name: str, old_file: Any, new_file: Any) -> bool:
    has_old, has_new = (isinstance(file, Tensor) or bool(file) for file in (old_file, new_file))
    if has_old != has_new:
        raise ValueError(
            f"old_{name}_vocab_file and new_{name}_vocab_file must both be specified or left "
            f"unspecified. old_{name}_vocab_file='{old_file}', new_{name}_vocab_file='{new_file}'"
        )
    return has_old
