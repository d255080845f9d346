"""Ragged tensors: how they are made, fetched, fed and converted."""

import numpy as np

import troupe as tf

VALUES = [3, 1, 4, 1, 5, 9, 2]
ROWS = [[3, 1, 4, 1], [], [5, 9], [2], []]


class RaggedTensorsTest(tf.test.TestCase):
    def check(self, ragged, rows):
        with self.session():
            self.assertAllEqual(ragged, rows)

    def test_each_form_of_row_partition_makes_the_same_rows(self):
        make = tf.RaggedTensor
        for found in [
            make.from_row_splits(VALUES, [0, 4, 4, 6, 7, 7]),
            make.from_value_rowids(VALUES, [0, 0, 0, 0, 2, 2, 3], nrows=5),
            make.from_row_lengths(VALUES, [4, 0, 2, 1, 0]),
            make.from_row_starts(VALUES, [0, 4, 4, 6, 7]),
            make.from_row_limits(VALUES, [4, 4, 6, 7, 7]),
            tf.ragged.constant(ROWS),
        ]:
            self.assertEqual(found.shape.as_list(), [5, None])
            self.check(found, ROWS)
            self.check(found.row_lengths(), [4, 0, 2, 1, 0])
            self.check(found.value_rowids(), [0, 0, 0, 0, 2, 2, 3])
            self.check(found.row_starts(), [0, 4, 4, 6, 7])
            self.check(found.row_limits(), [4, 4, 6, 7, 7])
            self.check(found.nrows(), 5)
            self.check(found.bounding_shape(), [5, 4])

    def test_nested_partitions_make_rows_of_rows(self):
        make = tf.RaggedTensor
        rows = [[[3, 1], [4]], [], [[], [1, 5, 9, 2]]]
        for found in [
            make.from_nested_row_splits(VALUES, [[0, 2, 2, 4], [0, 2, 3, 3, 7]]),
            make.from_nested_row_lengths(VALUES, [[2, 0, 2], [2, 1, 0, 4]]),
            make.from_nested_value_rowids(VALUES, [[0, 0, 2, 2], [0, 0, 1, 3, 3, 3, 3]]),
        ]:
            self.assertEqual((found.ragged_rank, found.dtype), (2, tf.int32))
            self.check(found, rows)
            self.check(found.flat_values, VALUES)
            self.check(found.row_lengths(2), [[2, 1], [], [0, 4]])
            with self.session() as session:
                lengths, rowids = session.run(
                    [found.nested_row_lengths(), found.nested_value_rowids()]
                )
            self.assertAllEqual(lengths[1], [2, 1, 0, 4])
            self.assertAllEqual(rowids[0], [0, 0, 2, 2])

    def test_partitions_that_do_not_fit_are_errors_where_they_are_known_and_in_steps(self):
        make = tf.RaggedTensor
        for splits in [[1, 7], [0, 6], [0, 5, 3, 7], [0, 8]]:
            with self.assertRaises((tf.errors.InvalidArgumentError, ValueError)):
                make.from_row_splits(VALUES, splits)
            fed = tf.placeholder(tf.int64, [None])
            found = make.from_row_splits(VALUES, fed)
            with self.session() as session, self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(found, {fed: splits})
        with self.assertRaisesRegex(ValueError, "nrows >= value_rowids"):
            make.from_value_rowids(VALUES, [0, 0, 0, 0, 0, 0, 4], nrows=4)
        with self.assertRaises((tf.errors.InvalidArgumentError, ValueError)):
            make.from_row_lengths(VALUES, [4, -1, 4])
        with self.assertRaisesRegex(ValueError, "private"):
            tf.RaggedTensor(tf.constant(VALUES), tf.constant([0, 7]))
        with self.assertRaisesRegex(ValueError, "may not be empty"):
            make.from_row_splits(VALUES, [])
        with self.assertRaisesRegex(TypeError, "validate"):
            make.from_row_splits(VALUES, [0, 7], validate=1)

    def test_nested_lists_of_one_depth_are_constants(self):
        found = tf.ragged.constant([[[1, 2], [3, 4]], [], [[5, 6]]], inner_shape=[2])
        self.assertEqual((found.ragged_rank, found.flat_values.shape.as_list()), (1, [3, 2]))
        found = tf.ragged.constant([["a", b"b"], []])
        self.assertEqual(found.dtype, tf.string)
        self.check(found, [[b"a", b"b"], []])
        self.assertEqual(tf.ragged.constant([[], []], ragged_rank=1).dtype, tf.float32)
        self.check(tf.ragged.constant([1, 2]), [1, 2])
        with self.assertRaisesRegex(ValueError, "same nesting depth"):
            tf.ragged.constant([[1], 2])
        with self.assertRaisesRegex(ValueError, "inconsistent shape"):
            tf.ragged.constant([[[1, 2], [3]]], ragged_rank=1)

    def test_a_step_gives_a_value_and_takes_one(self):
        fed = tf.ragged.placeholder(tf.float32, 2, [])
        doubled = fed * 2.0
        value = tf.ragged.constant_value([[[1.0], []], [[2.0, 3.0]]], dtype=np.float32)
        with self.session() as session:
            found, size = session.run([doubled, tf.size(fed)], {fed: value})
        self.assertIsInstance(found, tf.ragged.RaggedTensorValue)
        self.assertEqual(found.to_list(), [[[2.0], []], [[4.0, 6.0]]])
        self.assertEqual((found.ragged_rank, found.shape, size), (2, (2, None, None), 3))
        self.assertEqual(str(found), "<tf.RaggedTensorValue [[[2.0], []], [[4.0, 6.0]]]>")

    def test_a_partial_run_is_fed_ragged_tensors(self):
        fed, scale = tf.ragged.placeholder(tf.float32, 1, []), tf.placeholder(tf.float32, [])
        total = tf.reduce_sum(fed, axis=1)
        scaled = total * scale
        with self.session() as session:
            handle = session.partial_run_setup([total, scaled], [fed, scale])
            value = tf.ragged.constant_value([[1.0, 2.0], []], dtype=np.float32)
            self.assertAllEqual(session.partial_run(handle, total, {fed: value}), [3, 0])
            self.assertAllEqual(session.partial_run(handle, scaled, {scale: 2.0}), [6, 0])

    def test_a_value_checks_its_arrays(self):
        with self.assertRaisesRegex(TypeError, "row_splits"):
            tf.ragged.RaggedTensorValue(np.arange(3), [0, 3])
        with self.assertRaisesRegex(TypeError, "values"):
            tf.ragged.RaggedTensorValue([1, 2], np.array([0, 2]))

    def test_dense_tensors_become_ragged_and_ragged_ones_dense(self):
        x = tf.constant([[5, 7, 0], [0, 3, 0], [0, 0, 0]])
        make = tf.RaggedTensor.from_tensor
        self.check(make(x), [[5, 7, 0], [0, 3, 0], [0, 0, 0]])
        self.check(make(x, lengths=[1, 0, 3]), [[5], [], [0, 0, 0]])
        self.check(make(x, padding=0), [[5, 7], [0, 3], []])
        self.check(tf.ragged.constant(ROWS).to_tensor(-1)[:, :3], [
            [3, 1, 4], [-1, -1, -1], [5, 9, -1], [2, -1, -1], [-1, -1, -1],
        ])  # fmt: skip
        deep = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
        for rank in [1, 2, 3]:
            found = make(deep, ragged_rank=rank)
            self.assertEqual(found.ragged_rank, rank)
            self.check(found.to_tensor(), deep)
        nested = make([[[1, 2], [3, 0]], [[4, 0], [0, 0]]], lengths=([2, 1], [2, 1, 1]))
        self.check(nested, [[[1, 2], [3]], [[4]]])
        with self.assertRaisesRegex(ValueError, "not both"):
            make(x, lengths=[1, 1, 1], padding=0)

    def test_sparse_tensors_become_ragged_and_ragged_ones_sparse(self):
        ragged = tf.ragged.constant(ROWS)
        self.check(tf.RaggedTensor.from_sparse(ragged.to_sparse()), ROWS)
        self.check(tf.sparse.to_dense(ragged.to_sparse())[0], [3, 1, 4, 1])
        gap = tf.SparseTensor([[0, 0], [0, 2]], [1, 2], [1, 3])
        with self.session() as session, self.assertRaises(tf.errors.InvalidArgumentError):
            session.run(tf.RaggedTensor.from_sparse(gap))

    def test_gradients_go_through_conversions(self):
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        ragged = tf.RaggedTensor.from_tensor(x, lengths=[2, 1])
        loss = tf.reduce_sum(tf.square((ragged * 3.0).to_tensor()))
        with self.session() as session:
            found = session.run(tf.gradients(loss, x)[0])
        self.assertAllClose(found, [[18.0, 36.0], [54.0, 0.0]])

    def test_a_specification_says_what_is_known(self):
        spec = tf.RaggedTensorSpec([None, None, 3], tf.int32, 1)
        found = tf.ragged.constant([[[1, 2, 3]], []], ragged_rank=1)
        self.assertTrue(spec.is_compatible_with(found))
        self.assertFalse(tf.RaggedTensorSpec([None, None], tf.int32).is_compatible_with(found))
        for dtype, rank in [(tf.int64, 1), (tf.int32, 2)]:
            other = tf.RaggedTensorSpec([None, None, 3], dtype, rank)
            self.assertFalse(other.is_compatible_with(found))
        self.assertEqual(spec, tf.RaggedTensorSpec([None, None, 3], tf.int32, 1))
        with self.assertRaisesRegex(ValueError, "less than rank"):
            tf.RaggedTensorSpec([None, 2], ragged_rank=2)

    def test_loops_and_branches_carry_ragged_tensors(self):
        start = tf.ragged.constant([[1], [2, 3]])
        _, looped = tf.while_loop(
            lambda i, _: i < 3, lambda i, x: (i + 1, tf.concat([x, x[:, :1]], axis=1)), [0, start]
        )
        chosen = tf.cond(tf.constant(False), lambda: start, lambda: start[:, :1])
        with self.session() as session:
            found = session.run([looped, chosen])
        self.assertEqual(found[0].to_list(), [[1, 1, 1, 1], [2, 3, 2, 2, 2]])
        self.assertEqual(found[1].to_list(), [[1], [2]])
        self.assertEqual(len(tf.nest.flatten([start, 1], expand_composites=True)), 3)

    def test_variants_hold_ragged_tensors_and_rows(self):
        rows = [[[1, 2], []], [], [[3]]]
        for dtype in [tf.int32, tf.float64]:
            x = tf.ragged.constant(rows, dtype=dtype)
            whole, each = x._to_variant(), x._to_variant(batched_input=True)
            self.assertEqual((whole.shape.as_list(), each.shape.as_list()), ([], [3]))
            make = tf.RaggedTensor._from_variant
            self.check(make(whole, dtype, 2), rows)
            self.check(make(each, dtype, 2), rows)
            self.check(make(each, dtype, 2, input_ragged_rank=1), rows)
            self.check(make(tf.expand_dims(each, 0), dtype, 3), [rows])
            self.check(make(tf.expand_dims(each, 1), dtype, 3), [[row] for row in rows])
        words = tf.ragged.constant([["a"], ["b", "c"]])._to_variant(batched_input=True)
        self.check(tf.RaggedTensor._from_variant(words, tf.string, 1), [[b"a"], [b"b", b"c"]])

    def test_variants_that_hold_something_else_are_errors(self):
        x = tf.ragged.constant([[1, 2], [3]])
        make = tf.RaggedTensor._from_variant
        self.assertEqual(tf.raw_ops.RaggedTensorToVariant.__name__, "RaggedTensorToVariant")
        self.assertEqual(tf.raw_ops.RaggedTensorFromVariant.__name__, "RaggedTensorFromVariant")
        fed = tf.placeholder(tf.int64, [None])
        gap = tf.RaggedTensor.from_row_splits([1, 2, 3], fed, validate=False)
        several = tf.placeholder_with_default(
            tf.raw_ops.EmptyTensorList(
                element_shape=[], max_num_elements=-1, element_dtype=tf.int32
            ), None,
        )  # fmt: skip
        with self.session() as session:
            for wrong, says in [
                (make(x._to_variant(), tf.int64, 1), "the values must be int64"),
                (make(x.with_row_splits_dtype(tf.int32)._to_variant(), tf.int32, 1),
                 "the splits must be int64"),
                (make(x._to_variant(), tf.int32, 2), "ragged tensor with 2 splits"),
                (make(several, tf.int32, 1), "must hold a ragged tensor"),
                (make(gap._to_variant(), tf.int32, 1), "the last split must be the number"),
            ]:  # fmt: skip
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, says):
                    session.run(wrong, {fed: [0, 2]})
        with self.assertRaisesRegex(ValueError, "output_ragged_rank must be equal"):
            make(x._to_variant(), tf.int32, 1, input_ragged_rank=2)

    def test_modules_of_tensorflows_source_have_the_names(self):
        from troupe.python.ops.ragged import ragged_math_ops, ragged_tensor

        self.assertIs(ragged_tensor.RaggedTensor, tf.RaggedTensor)
        self.assertIs(tf.compat.v2.RaggedTensor, tf.RaggedTensor)
        self.check(ragged_math_ops.range([2, 0, 1]), [[0, 1], [], [0]])


if __name__ == "__main__":
    tf.test.main()
