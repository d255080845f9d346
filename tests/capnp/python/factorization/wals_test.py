"""Weighted alternating least squares: the model, and the estimators of factors and of mixtures."""

import tempfile
import unittest

import numpy as np

import troupe as tf

factorization = tf.contrib.factorization
ROWS, COLUMNS, FACTORS = 5, 4, 2
MATRIX = np.array(
    [[1, 0, 2, 3], [0, 0.5, 1, 0], [2, 1, 0, 1], [0, 3, 0, 1], [1, 1, 1, 0]], np.float32
)
FIRST_ROWS = np.reshape(np.sin(np.arange(10.0)), [ROWS, FACTORS]).astype(np.float32)
FIRST_COLUMNS = np.reshape(np.cos(np.arange(8.0)), [COLUMNS, FACTORS]).astype(np.float32)


def sparse(matrix):
    places = np.argwhere(matrix)
    return tf.SparseTensor(places, matrix[tuple(places.T)], matrix.shape)


def least_squares(left_weights, right, right_weights, regularization, unobserved=0.1):
    """The factors of all rows by NumPy, and the loss."""
    weights = unobserved + (MATRIX != 0) * left_weights[:, None] * right_weights
    found = np.stack([
        np.linalg.solve(
            right.T @ (w[:, None] * right) + regularization * np.eye(FACTORS), right.T @ (w * a)
        )
        for w, a in zip(weights, MATRIX)
    ])  # fmt: skip
    loss = np.sum(weights * np.square(MATRIX - found @ right.T))
    squares = regularization * (np.sum(found**2) + np.sum(right**2))
    return found, loss, squares, weights.sum()


class ModelTest(tf.test.TestCase):
    def model(self, **options):
        return factorization.WALSModel(
            ROWS, COLUMNS, FACTORS, row_init=FIRST_ROWS, col_init=FIRST_COLUMNS, **options
        )

    def test_an_update_solves_the_equations_of_rows(self):
        row_weights, column_weights = [1, 2, 0.5, 3, 1.0], [1, 0.5, 2, 1.0]
        model = self.model(
            regularization=0.3, row_weights=row_weights, col_weights=column_weights
        )
        found = model.update_row_factors(sparse(MATRIX))
        flipped = model.update_row_factors(sparse(MATRIX.T), transpose_input=True)
        expected = least_squares(
            np.array(row_weights), FIRST_COLUMNS, np.array(column_weights), 0.3
        )
        with self.session() as session:
            session.run([model.initialize_op, tf.no_op()])
            session.run(model.worker_init)
            session.run(model.row_update_prep_gramian_op)
            session.run(model.initialize_row_update_op)
            # The rows are in the order of their first elements.
            for given, order in ((found, [0, 1, 2, 3, 4]), (flipped, [0, 2, 4, 1, 3])):
                values = session.run([given[0], *given[2:]])
                self.assertAllClose(values[0], expected[0][order], rtol=1e-4, atol=1e-4)
                self.assertAllClose(values[1:], expected[1:], rtol=1e-4)
            session.run(found[1])
            self.assertAllClose(session.run(model.row_factors[0]), expected[0], rtol=1e-4)

    def test_names_are_those_of_tensorflow(self):
        self.model()
        names = [v.op.name for v in tf.global_variables()]
        self.assertEqual(names, [
            "row_weights_shard_0", "col_weights_shard_0", "row_factors_shard_0",
            "col_factors_shard_0", "row_gramian", "col_gramian",
        ])  # fmt: skip
        self.assertEqual([v.op.name for v in tf.local_variables()][0],
                         "transient_vars/row_factors_cache_shard_0")  # fmt: skip

    def sweeps(self, count, **options):
        """The product of the factors after some sweeps."""
        with tf.Graph().as_default(), tf.Session() as session:
            model = self.model(**options)
            rows = model.update_row_factors(sparse(MATRIX))[1]
            columns = model.update_col_factors(sparse(MATRIX))[1]
            session.run(model.initialize_op)
            session.run(model.worker_init)
            for _ in range(count):
                session.run(model.row_update_prep_gramian_op)
                session.run(model.initialize_row_update_op)
                session.run(rows)
                session.run(model.col_update_prep_gramian_op)
                session.run(model.initialize_col_update_op)
                session.run(columns)
            left = np.concatenate(session.run(model.row_factors))
            return left @ np.concatenate(session.run(model.col_factors)).T

    def test_shards_and_caches_change_nothing(self):
        expected = self.sweeps(3, regularization=0.1)
        shards = {
            "row_init": np.split(FIRST_ROWS, [3]), "col_init": np.split(FIRST_COLUMNS, [2, 3]),
        }  # fmt: skip
        with tf.Graph().as_default(), tf.Session() as session:
            model = factorization.WALSModel(
                ROWS, COLUMNS, FACTORS, regularization=0.1, num_row_shards=2, num_col_shards=3,
                use_factors_weights_cache=False, use_gramian_cache=False, **shards,
            )  # fmt: skip
            steps = [
                model.row_update_prep_gramian_op, model.update_row_factors(sparse(MATRIX))[1],
                model.col_update_prep_gramian_op, model.update_col_factors(sparse(MATRIX))[1],
            ]  # fmt: skip
            session.run(model.initialize_op)
            for step in steps * 3:
                session.run(step)
            left = np.concatenate(session.run(model.row_factors))
            found = left @ np.concatenate(session.run(model.col_factors)).T
        self.assertAllClose(found, expected, rtol=1e-3, atol=1e-4)

    def test_without_weights_all_elements_count_alike(self):
        found = self.sweeps(
            200, row_weights=None, col_weights=None, unobserved_weight=1.0, regularization=1e-5
        )
        left, values, right = np.linalg.svd(MATRIX)
        best = (left[:, :FACTORS] * values[:FACTORS]) @ right[:FACTORS]
        self.assertAllClose(found, best, atol=0.01)

    def test_weights_of_rows_alone_and_negative_ones_are_errors(self):
        with self.assertRaises(AssertionError):
            self.model(row_weights=None)
        with self.assertRaisesRegex(ValueError, "non-negative"):
            self.model(row_weights=-1)


class EstimatorsTest(tf.test.TestCase):
    def test_factors_are_trained_in_sweeps_and_rows_projected(self):
        wals = factorization.WALSMatrixFactorization

        def inputs():
            features = {wals.INPUT_ROWS: sparse(MATRIX), wals.INPUT_COLS: sparse(MATRIX.T)}
            return {**features, wals.PROJECT_ROW: tf.constant(True)}, None

        with tempfile.TemporaryDirectory() as folder:
            estimator = wals(
                ROWS, COLUMNS, FACTORS, regularization_coeff=0.1, row_init=FIRST_ROWS,
                col_init=FIRST_COLUMNS, max_sweeps=3, model_dir=folder,
            )  # fmt: skip
            estimator.fit(input_fn=inputs)
            self.assertEqual(estimator.get_variable_value(wals.COMPLETED_SWEEPS), 3)
            left, right = estimator.get_row_factors()[0], estimator.get_col_factors()[0]
            loss = estimator.evaluate(input_fn=inputs, steps=1)["loss"]
            projected = list(estimator.get_projections(inputs))
        expected, error, squares, _ = least_squares(np.ones(ROWS), right, np.ones(COLUMNS), 0.1)
        self.assertAllClose(left, expected, rtol=1e-3, atol=1e-4)
        self.assertAllClose(projected, expected, rtol=1e-3, atol=1e-4)
        self.assertAllClose(loss, error + squares, rtol=1e-3)
        self.assertLess(np.abs(left @ right.T - MATRIX)[MATRIX != 0].max(), 2)

    def test_a_mixture_finds_the_means_and_assigns_examples(self):
        random = np.random.RandomState(5)
        near, far = random.randn(30, 2) * 0.3 + [1, 1], random.randn(20, 2) * 0.5 - [4, 5]
        rows = np.concatenate([near, far]).astype(np.float32)

        def inputs():
            return {"b": tf.constant(rows[:, 1:]), "a": tf.constant(rows[:, :1])}, None

        with tempfile.TemporaryDirectory() as folder:
            mixture = factorization.GMM(
                2, folder, initial_clusters=np.array([[1, 2.0], [-3, -4]], np.float32)
            )
            mixture.fit(input_fn=inputs, steps=10)
            self.assertAllClose(mixture.weights(), [0.6, 0.4], atol=0.01)
            self.assertAllClose(mixture.clusters(), [near.mean(0), far.mean(0)], atol=0.01)
            self.assertEqual(mixture.covariances().shape, (2, 2, 2))
            found = list(mixture.predict_assignments(input_fn=inputs))
            self.assertEqual(found, [0] * 30 + [1] * 20)
            self.assertTrue(np.isfinite(mixture.score(input_fn=inputs, steps=1)))


if __name__ == "__main__":
    unittest.main()
