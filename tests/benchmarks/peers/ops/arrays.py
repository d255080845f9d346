"""What moves elements: transposes, concatenations, slices, gathers, and what makes tensors."""

from program import MIB

from .case import case
from .operands import every_second, floats, integers, scalar

IMAGES = floats(16, 64, 64, 64)  # with channels last
BORDER_OF_ONE = [[0, 0], [1, 1], [1, 1], [0, 0]]

TRANSPOSES = {
    "transpose_matrix": case(lambda tf, x: tf.transpose(x), floats(2048, 2048)),
    "transpose_batch_of_matrices": case(
        lambda tf, x: tf.transpose(x, [0, 2, 1]), floats(64, 256, 256)
    ),
    "transpose_first_axes": case(lambda tf, x: tf.transpose(x, [1, 0, 2]), floats(256, 256, 64)),
    "transpose_nhwc_to_nchw": case(lambda tf, x: tf.transpose(x, [0, 3, 1, 2]), IMAGES),
    "transpose_heads": case(lambda tf, x: tf.transpose(x, [0, 2, 1, 3]), floats(32, 128, 8, 128)),
    "transpose_matrix_uint8": case(
        lambda tf, x: tf.transpose(x), integers(2048, 2048, high=200, dtype="uint8")
    ),
    "transpose_matrix_float64": case(
        lambda tf, x: tf.transpose(x), floats(1024, 2048, dtype="float64")
    ),
    "reverse": case(lambda tf, x: tf.reverse(x, [1]), floats(4096, 1024)),
    "reverse_sequence": case(
        lambda tf, x, lengths: tf.reverse_sequence(x, lengths, seq_axis=1, batch_axis=0),
        floats(64, 256, 256),
        integers(64, high=256),
    ),
    "roll": case(lambda tf, x: tf.roll(x, 3, 0), floats(4096, 1024)),
    "space_to_batch": case(lambda tf, x: tf.space_to_batch(x, [[0, 0], [0, 0]], 2), IMAGES),
    "depth_to_space": case(lambda tf, x: tf.depth_to_space(x, 2), IMAGES),
    "space_to_depth": case(lambda tf, x: tf.space_to_depth(x, 2), IMAGES),
    "extract_image_patches": case(
        lambda tf, x: tf.extract_image_patches(
            x, [1, 3, 3, 1], strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME"
        ),
        floats(8, 64, 64, 32),
    ),
}

PARTS = {
    "concat_rows": case(lambda tf, *parts: tf.concat(parts, 0), *[floats(2048, 512)] * 4),
    "concat_columns": case(lambda tf, *parts: tf.concat(parts, 1), *[floats(2048, 512)] * 4),
    "concat_few_columns": case(lambda tf, *parts: tf.concat(parts, 1), *[floats(262144, 4)] * 4),
    "stack_first": case(lambda tf, *parts: tf.stack(parts), *[floats(MIB)] * 4),
    "stack_last": case(lambda tf, *parts: tf.stack(parts, -1), *[floats(MIB)] * 4),
    "unstack_first": case(lambda tf, x: tf.unstack(x), floats(4, MIB)),
    "unstack_last": case(lambda tf, x: tf.unstack(x, axis=-1), floats(MIB, 4)),
    "split_rows": case(lambda tf, x: tf.split(x, 4, 0), floats(4096, 1024)),
    "split_columns": case(lambda tf, x: tf.split(x, 4, 1), floats(4096, 1024)),
    "slice": case(lambda tf, x: tf.slice(x, [0, 100], [4096, 800]), floats(4096, 1024)),
    "strided_slice_every_second": case(lambda tf, x: x[::2, ::2], floats(4096, 1024)),
    "strided_slice_rows": case(lambda tf, x: x[1:-1], floats(4096, 1024)),
    "pad": case(lambda tf, x: tf.pad(x, BORDER_OF_ONE), IMAGES),
    "mirror_pad": case(lambda tf, x: tf.pad(x, BORDER_OF_ONE, "REFLECT"), IMAGES),
    "tile_rows": case(lambda tf, x: tf.tile(x, [4, 1]), floats(1024, 1024)),
    "tile_columns": case(lambda tf, x: tf.tile(x, [1, 4]), floats(4096, 256)),
    "tile_one_column": case(lambda tf, x: tf.tile(x, [1, 1024]), floats(4096, 1)),
    "broadcast_to": case(lambda tf, x: tf.broadcast_to(x, [4096, 1024]), floats(1, 1024)),
    "dynamic_partition": case(
        lambda tf, x, partitions: tf.dynamic_partition(x, partitions, 4),
        floats(65536, 64),
        integers(65536, high=4),
    ),
    "dynamic_stitch": case(
        lambda tf, even, odd, x, y: tf.dynamic_stitch([even, odd], [x, y]),
        every_second(0, 65536),
        every_second(1, 65536),
        floats(32768, 64),
        floats(32768, 64),
    ),
}

GATHERS = {
    "gather_rows": case(
        lambda tf, x, rows: tf.gather(x, rows), floats(16384, 256), integers(16384, high=16384)
    ),
    "gather_short_rows": case(
        lambda tf, x, rows: tf.gather(x, rows), floats(100000, 16), integers(100000, high=100000)
    ),
    "gather_columns": case(
        lambda tf, x, columns: tf.gather(x, columns, axis=1),
        floats(4096, 1024),
        integers(512, high=1024),
    ),
    "gather_scalars": case(
        lambda tf, x, indices: tf.gather(x, indices), floats(MIB), integers(MIB, high=MIB)
    ),
    "gather_nd": case(
        lambda tf, x, indices: tf.gather_nd(x, indices),
        floats(1024, 1024, 4),
        integers(262144, 2, high=1024),
    ),
    "embedding_lookup": case(
        lambda tf, table, ids: tf.nn.embedding_lookup(table, ids),
        floats(50000, 128),
        integers(64, 50, high=50000),
    ),
    "scatter_nd": case(
        lambda tf, indices, x: tf.scatter_nd(indices, x, [16384, 64]),
        integers(16384, 1, high=16384),
        floats(16384, 64),
    ),
    "tensor_scatter_update": case(
        lambda tf, x, indices, updates: tf.tensor_scatter_update(x, indices, updates),
        floats(16384, 64),
        integers(4096, 1, high=16384),
        floats(4096, 64),
    ),
}

NEW_TENSORS = {
    "one_hot": case(lambda tf, ids: tf.one_hot(ids, 1000), integers(4096, high=1000)),
    "one_hot_of_few_classes": case(lambda tf, ids: tf.one_hot(ids, 10), integers(262144, high=10)),
    "one_hot_along_first_axis": case(
        lambda tf, ids: tf.one_hot(ids, 10, axis=0), integers(262144, high=10)
    ),
    "sequence_mask": case(
        lambda tf, lengths: tf.sequence_mask(lengths, 1000), integers(4096, high=1000)
    ),
    "fill": case(lambda tf, count: tf.fill([count], 1.5), scalar(4 * MIB)),
    # Of a shape that the graph does not tell: TensorFlow makes a constant of zeros of a known one.
    "zeros_like": case(
        lambda tf, x, count: tf.zeros_like(tf.reshape(x, [count])), floats(4 * MIB), scalar(4 * MIB)
    ),
    "range": case(lambda tf, count: tf.range(count), scalar(4 * MIB)),
}

CASES = {**TRANSPOSES, **PARTS, **GATHERS, **NEW_TENSORS}
