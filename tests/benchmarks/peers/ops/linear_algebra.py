"""Products and factors of matrices, and Fourier transforms."""

from .case import case
from .operands import complexes, floats, integers, positive_definite, sparse_indices


def _matmul(x, y):
    return case(lambda tf, x, y: tf.matmul(x, y), x, y)


def _sparse_times_dense(tf, indices, values, dense):
    sparse = tf.SparseTensor(indices, values, [4096, 4096])
    return tf.sparse_tensor_dense_matmul(sparse, dense)


PRODUCTS = {
    **{
        f"matmul_{rows}x{inner}_by_{inner}x{columns}": _matmul(
            floats(rows, inner), floats(inner, columns)
        )
        for rows, inner, columns in (
            (64, 64, 64),
            (256, 256, 256),
            (1024, 1024, 1024),
            (8, 1024, 1024),
            (1, 1024, 1024),
            (1024, 64, 1024),
            (128, 784, 512),
        )
    },
    "matmul_transposed_left": case(
        lambda tf, x, y: tf.matmul(x, y, transpose_a=True), floats(512, 512), floats(512, 512)
    ),
    "matmul_transposed_right": case(
        lambda tf, x, y: tf.matmul(x, y, transpose_b=True), floats(512, 512), floats(512, 512)
    ),
    "matmul_float64": _matmul(*[floats(512, 512, dtype="float64")] * 2),
    "matmul_float16": _matmul(*[floats(256, 256, dtype="float16")] * 2),
    "matmul_int32": _matmul(*[integers(256, 256, high=10)] * 2),
    "batch_matmul_64_of_128x128": _matmul(floats(64, 128, 128), floats(64, 128, 128)),
    "batch_matmul_512_of_16x64": _matmul(floats(512, 16, 64), floats(512, 64, 16)),
    "batch_matmul_1024_of_16x16": _matmul(floats(1024, 16, 16), floats(1024, 16, 16)),
    "batch_matmul_transposed_right": case(
        lambda tf, x, y: tf.matmul(x, y, transpose_b=True),
        floats(64, 128, 64),
        floats(64, 128, 64),
    ),
    "einsum_of_attention": case(
        lambda tf, queries, keys: tf.einsum("bqhd,bkhd->bhqk", queries, keys),
        floats(8, 128, 8, 64),
        floats(8, 128, 8, 64),
    ),
    "tensordot": case(
        lambda tf, x, y: tf.tensordot(x, y, 1), floats(32, 64, 128), floats(128, 256)
    ),
    "matvec": case(lambda tf, x, y: tf.linalg.matvec(x, y), floats(2048, 2048), floats(2048)),
    "sparse_tensor_dense_matmul": case(
        _sparse_times_dense,
        sparse_indices(65536, rows=4096, columns=4096),
        floats(65536),
        floats(4096, 64),
    ),
}

FACTORS = {
    "cholesky": case(lambda tf, x: tf.cholesky(x), positive_definite(512)),
    "matrix_inverse": case(lambda tf, x: tf.matrix_inverse(x), positive_definite(512)),
    "matrix_inverse_4096_of_4x4": case(
        lambda tf, x: tf.matrix_inverse(x + 4.0 * tf.eye(4)), floats(4096, 4, 4)
    ),
    "matrix_solve": case(
        lambda tf, x, y: tf.matrix_solve(x, y), positive_definite(512), floats(512, 64)
    ),
    "matrix_triangular_solve": case(
        lambda tf, x, y: tf.matrix_triangular_solve(x, y), positive_definite(512), floats(512, 64)
    ),
    # Divided, as the determinant would be infinite otherwise.
    "matrix_determinant": case(
        lambda tf, x: tf.matrix_determinant(x / 200.0), positive_definite(128)
    ),
    "qr": case(lambda tf, x: tf.qr(x)[0], floats(256, 256)),
    "svd": case(lambda tf, x: tf.svd(x)[0], floats(128, 128)),
    "self_adjoint_eig": case(lambda tf, x: tf.self_adjoint_eig(x)[0], positive_definite(128)),
    "matrix_band_part": case(lambda tf, x: tf.matrix_band_part(x, 0, -1), floats(16, 512, 512)),
    "matrix_diag": case(lambda tf, x: tf.matrix_diag(x), floats(256, 128)),
}

FOURIER_TRANSFORMS = {
    "fft": case(lambda tf, x: tf.fft(x), complexes(64, 16384)),
    "rfft": case(lambda tf, x: tf.spectral.rfft(x), floats(64, 16384)),
    "rfft_of_frames": case(lambda tf, x: tf.spectral.rfft(x), floats(2000, 512)),
    "irfft": case(lambda tf, x: tf.spectral.irfft(x), complexes(64, 8193)),
    "fft_of_12000": case(lambda tf, x: tf.fft(x), complexes(64, 12000)),
    "fft2d": case(lambda tf, x: tf.fft2d(x), complexes(8, 256, 256)),
}

CASES = {**PRODUCTS, **FACTORS, **FOURIER_TRANSFORMS}
