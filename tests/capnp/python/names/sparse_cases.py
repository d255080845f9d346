"""Calls of functions of sparse tensors, of sampled losses, and of embeddings."""

import numpy as np

ROWS = [[0, 1], [1, 0], [1, 2]]
OTHER_ROWS = [[0, 0], [1, 0]]
CLASSES = np.array([[1, 4], [0, 6], [3, 3]])
CUBE = [[0, 0, 1], [0, 1, 0], [0, 1, 2], [1, 1, 1]]
IDS = [[0, 0], [0, 1], [1, 0], [2, 0], [2, 3]]


def sparse(tf, dtype=np.float32):
    return tf.SparseTensor(ROWS, np.array([1, -2, 3], dtype), [2, 3])


def other(tf):
    return tf.SparseTensor(OTHER_ROWS, np.array([5, 2], np.float32), [2, 3])


def cube(tf):
    return tf.SparseTensor(CUBE, np.array([0.5, 2, -1, 3], np.float32), [2, 2, 3])


def ids(tf):
    return tf.SparseTensor(IDS, np.array([1, 6, 0, 2, 5], np.int64), [3, 4])


def weights(tf):
    return tf.SparseTensor(IDS, np.array([0.5, 2, 1, -1, 3], np.float32), [3, 4])


def gaps(tf):
    """Ids with some below 0, and rows without any."""
    return tf.SparseTensor([[0, 0], [0, 1], [2, 0], [3, 1]], np.array([1, 6, -1, 2]), [4, 2])


def gap_weights(tf):
    indices = [[0, 0], [0, 1], [2, 0], [3, 1]]
    return tf.SparseTensor(indices, np.array([2, 0, 1, 0.5], np.float32), [4, 2])


def drawn(tf, batch=3):
    """What a sampler of 4 of 7 classes says: classes, expected counts of true ones and of them."""
    true_counts = 0.3 + 0.1 * np.arange(2 * batch, dtype=np.float32).reshape(batch, 2)
    return (
        tf.constant([4, 2, 0, 3], tf.int64),
        tf.constant(true_counts),
        tf.constant([0.6, 0.5, 0.9, 0.4]),
    )


SPARSE = [
    "tf.sparse_add(sparse(tf), other(tf))", "tf.sparse.add(sparse(tf), other(tf), threshold=0.5)",
    "tf.sparse_add(sparse(tf), other(tf), thresh=2.5)",
    "tf.sparse.add(sparse(tf), np.ones((2, 3), np.float32))",
    "tf.sparse.add(np.ones((2, 3), np.float32), sparse(tf))",
    "tf.sparse.add(sparse(tf, np.complex64), sparse(tf, np.complex64), 3)",
    "tf.sparse_maximum(sparse(tf), other(tf))", "tf.sparse.minimum(sparse(tf), other(tf))",
    "tf.sparse.softmax(cube(tf))", "tf.sparse_softmax(sparse(tf))",
    *(f"tf.sparse.{name}(cube(tf){rest})" for name in (
        "reduce_sum", "reduce_sum_sparse", "reduce_max", "reduce_max_sparse",
    ) for rest in ("", ", 1", ", [-1], keepdims=True", ", [0, 2]")),
    "tf.sparse_reduce_sum(cube(tf), reduction_axes=[1], keep_dims=True)",
    "tf.sparse.transpose(cube(tf))", "tf.sparse_transpose(cube(tf), [1, 0, 2])",
    "tf.sparse.expand_dims(sparse(tf))", "tf.sparse.expand_dims(sparse(tf), 1)",
    "tf.sparse.expand_dims(sparse(tf), axis=-3)",
    "tf.sparse_concat(1, [sparse(tf), other(tf)])", "tf.sparse.concat(-2, [other(tf), sparse(tf)])",
    "tf.sparse.concat(0, [sparse(tf), tf.SparseTensor([[0, 4]], [1.0], [1, 7])],"
    " expand_nonconcat_dim=True)",
    "tf.sparse_concat(-1, [sparse(tf), tf.SparseTensor([[2, 0]], [1.0], [3, 1])], None, True)",
    "tf.sparse.split(sp_input=cube(tf), num_split=2, axis=2)",
    "tf.sparse_split(sp_input=sparse(tf), num_split=2, axis=0)",
    "tf.sparse.slice(cube(tf), [0, 1, 0], [2, 1, 2])",
    "tf.sparse_slice(sparse(tf), [1, 1], [5, 5])",
    "tf.sparse_retain(sparse(tf), [True, False, True])",
    "tf.sparse.reset_shape(sparse(tf))", "tf.sparse_reset_shape(sparse(tf), [4, 5])",
    "tf.sparse.fill_empty_rows(ids(tf), 7)",
    "tf.sparse_fill_empty_rows(tf.SparseTensor([[1, 1], [3, 0]], [2.0, 4.0], [5, 2]), -1)",
    "tf.sparse_reorder(tf.SparseTensor([[1, 2], [0, 1], [1, 0]], ['a', 'b', 'c'], [2, 3]))",
    "tf.sparse_reshape(cube(tf), [3, -1])", "tf.sparse.reshape(cube(tf), [12])",
    "tf.sparse.reshape(sparse(tf), tf.constant([1, 3, 2], tf.int64)).shape.as_list()",
    "tf.sparse.from_dense([[0, 1, 0], [2, 0, 3]])", "tf.sparse.from_dense([[0.0, -0.5], [2.5, 0]])",
    "tf.sparse.eye(2, 3)", "tf.sparse.eye(2, dtype=tf.int32)",
    "tf.sparse.eye(2, 3).shape.as_list()",
    "tf.sparse.to_dense(sparse(tf))", "tf.sparse_tensor_to_dense(sparse(tf), 7.0)",
    "tf.sparse.to_dense(tf.SparseTensor([[1, 0], [0, 1]], ['a', 'b'], [2, 2]),"
    " validate_indices=False)",
    "tf.sparse_to_dense([[0, 1], [1, 0]], [2, 2], [3, 4], -1)", "tf.sparse_to_dense(2, [4], 1.5)",
    "tf.sparse_to_dense([1, 3], [4], [True, True], False)",
    "tf.sparse.to_indicator(ids(tf), 8)",
    "tf.sparse_merge(ids(tf), weights(tf), 9)",
    "tf.sparse.merge([ids(tf), ids(tf)], weights(tf), [9, 7], already_sorted=True)",
    "tf.sparse_mask(tf.IndexedSlices(tf.constant(TABLE[:3]), tf.constant([3, 5, 9])), [5]).values",
    "tf.sparse.mask(tf.IndexedSlices(tf.constant(TABLE[:3]), tf.constant([3, 5, 9])), [5]).indices",
    "tf.sparse.matmul(sparse(tf), TABLE[:3])",
    "tf.sparse_tensor_dense_matmul(sparse(tf), TABLE[:2], adjoint_a=True)",
    "tf.sparse.sparse_dense_matmul(sparse(tf), TABLE[:, :], adjoint_b=True)",
    "sparse(tf) * [[1.0], [10.0]]", "sparse(tf) * [1.0, 2.0, 4.0]", "sparse(tf) / 2.0",
    "sparse(tf, np.int32) / [[2, 1, 1], [4, 1, 2]]", "cube(tf) * np.float32([[[1, 2, 3]]])",
    "tf.cast(sparse(tf), tf.int32)",
    "tf.negative(sparse(tf))", "tf.abs(sparse(tf))", "tf.square(sparse(tf))",
    "grad(tf, tf.sparse.to_dense(tf.sparse.add(tf.SparseTensor(ROWS, x[0], [2, 3]), other(tf))),"
    " x)",
    "grad(tf, tf.sparse.softmax(tf.SparseTensor(ROWS, x[0], [2, 3])).values, x)",
    "grad(tf, tf.sparse.reduce_sum(tf.SparseTensor(ROWS, x[0], [2, 3]), 1), x)",
    "grad(tf, tf.sparse.matmul(tf.SparseTensor(ROWS, x[0], [2, 3]), x, adjoint_b=True), x)",
    "grad(tf, (tf.SparseTensor(ROWS, x[0], [2, 3]) * x).values, x)",
    "grad(tf, tf.sparse.transpose(tf.SparseTensor(ROWS, x[0], [2, 3])).values, x)",
    "tf.gradients(half(tf.sparse.slice(tf.SparseTensor(ROWS, x[0], [2, 3]), [0, 0],"
    " [2, 2]).values), x)",
]  # fmt: skip

EMBEDDINGS = [
    *(f"tf.nn.embedding_lookup_sparse(TABLE, ids(tf), {given}, combiner='{combiner}')"
      for given in ("None", "weights(tf)") for combiner in ("sum", "mean", "sqrtn")),
    "tf.nn.embedding_lookup_sparse([TABLE[::2], TABLE[1::2]], ids(tf), weights(tf),"
    " combiner='sum', max_norm=1.0)",
    "tf.nn.embedding_lookup_sparse([TABLE[:4], TABLE[4:]], ids(tf), None, 'div', combiner='mean')",
    "tf.nn.embedding_lookup_sparse(TABLE.reshape(7, 3, 1), ids(tf), weights(tf), combiner='mean')",
    *(f"tf.nn.safe_embedding_lookup_sparse([TABLE[:4], TABLE[4:]], gaps(tf){rest}" for rest in (
        ")", ", combiner='sum', default_id=3)", ", gap_weights(tf))",
        ", gap_weights(tf), 'sqrtn', partition_strategy='mod', max_norm=1.0)",
    )),
    "tf.nn.safe_embedding_lookup_sparse([TABLE], tf.sparse.reshape(gaps(tf), [2, 2, 2]))",
    "tf.nn.embedding_lookup([TABLE[:, 0][::2], TABLE[:, 0][1::2]], [[0, 1, 6, 5]])",
    "tf.nn.embedding_lookup([TABLE[:2], TABLE[2:3]], tf.constant([], tf.int32))",
    "tf.nn.embedding_lookup([TABLE[:2], TABLE[2:3], TABLE[3:4]], [1, 3], 'div', max_norm=0.5)",
    *(f"tf.nn.{loss}(TABLE, waves(7), CLASSES, waves(3, 3), 4, 7, 2, drawn(tf){rest})"
      for loss in ("nce_loss", "sampled_softmax_loss")
      for rest in ("", ", True", ", remove_accidental_hits=False")),
    "tf.nn.nce_loss([TABLE[:4], TABLE[4:]], [waves(7)[:4], waves(7)[4:]], CLASSES, waves(3, 3), 4,"
    " 7, 2, drawn(tf), partition_strategy='div')",
    "tf.nn.sampled_softmax_loss([TABLE[::2], TABLE[1::2]], waves(7), CLASSES, waves(3, 3), 4, 7, 2,"
    " drawn(tf))",
    "grad(tf, tf.nn.nce_loss(tf.concat([x, TABLE[2:]], 0) * 2, waves(7), CLASSES, waves(3, 3), 4,"
    " 7, 2, drawn(tf), True), x)",
    "grad(tf, tf.nn.sampled_softmax_loss(TABLE, waves(7), CLASSES[:2], x, 4, 7, 2, drawn(tf, 2)),"
    " x)",
    "grad(tf, tf.reshape(tf.nn.embedding_lookup_sparse([tf.concat([x, TABLE[:2]], 0) * 2, TABLE],"
    " ids(tf), weights(tf), combiner='mean'), [3, 3]), x)",
    "tf.nn.all_candidate_sampler(CLASSES, 2, 7, True)",
    "tf.nn.log_uniform_candidate_sampler(CLASSES, 2, 3, False, 7, seed=4)[1:1]",
    "tf.nn.compute_accidental_hits(CLASSES, tf.constant([4, 2, 0, 3], tf.int64), 2)",
]  # fmt: skip
