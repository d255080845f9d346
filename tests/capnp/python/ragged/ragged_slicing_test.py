"""Parts of ragged tensors are those of nested lists."""

import itertools

import troupe as tf

ROWS = [[1, 2, 3, 4], [], [5], [6, 7]]
NUMBERS = [None, 0, 1, 2, 9, -1, -2, -9]


class RaggedSlicingTest(tf.test.TestCase):
    def test_ranges_of_rows_and_in_rows_are_those_of_lists(self):
        x = tf.ragged.constant(ROWS)
        parts, expected = [], []
        for start, stop, step in itertools.product(NUMBERS, NUMBERS, [None, 1, 2, -1, -2]):
            key = slice(start, stop, step)
            parts += [x[key], x[:, key]]
            expected += [ROWS[key], [row[key] for row in ROWS]]
        with self.session() as session:
            found = session.run(parts)
        for one, rows in zip(found, expected):
            self.assertEqual(one.to_list(), rows)

    def test_positions_may_be_tensors(self):
        x = tf.ragged.constant(ROWS)
        place, step = tf.placeholder(tf.int32, []), tf.placeholder(tf.int64, [])
        parts = [x[place], x[:, :place], x[place:], x[:, place::step]]
        with self.session() as session:
            for at, by in itertools.product([0, 1, -1, -2], [1, 2, -1]):
                found = session.run(parts, {place: at, step: by})
                self.assertEqual(found[0].tolist(), ROWS[at])
                self.assertEqual(found[1].to_list(), [row[:at] for row in ROWS])
                self.assertEqual(found[2].to_list(), ROWS[at:])
                self.assertEqual(found[3].to_list(), [row[at::by] for row in ROWS])

    def test_keys_go_on_into_rows_of_rows(self):
        rows = [[[1, 2], [3]], [], [[4, 5, 6]]]
        x = tf.ragged.constant(rows)
        with self.session():
            self.assertAllEqual(x[0], [[1, 2], [3]])
            self.assertAllEqual(x[0, 1], [3])
            self.assertAllEqual(x[2, 0, -1], 6)
            self.assertAllEqual(x[:, :, :1], [[[1], [3]], [], [[4]]])
            self.assertAllEqual(x[..., :1], [[[1], [3]], [], [[4]]])
            self.assertAllEqual(x[0, ..., 1:], [[2], []])
            self.assertAllEqual(x[tf.newaxis], [rows])
            self.assertAllEqual(x[:, tf.newaxis, :1], [[[[1, 2]]], [[]], [[[4, 5, 6]]]])

    def test_uniform_inner_axes_take_any_key(self):
        x = tf.ragged.constant([[[1, 2], [3, 4]], [], [[5, 6]]], ragged_rank=1)
        with self.session():
            self.assertAllEqual(x[:, :, 1], [[2, 4], [], [6]])
            self.assertAllEqual(x[0, 1, 0], 3)

    def test_wrong_keys_are_refused(self):
        x = tf.ragged.constant(ROWS)
        with self.assertRaisesRegex(ValueError, "inner ragged dimension"):
            x[:, 0]
        with self.assertRaisesRegex(TypeError, "integers"):
            x["a"]
        with self.assertRaisesRegex(IndexError, "Too many"):
            x[..., 0, 0, 0]
        with self.session() as session, self.assertRaises(tf.errors.InvalidArgumentError):
            session.run(x[4])


if __name__ == "__main__":
    tf.test.main()
