"""Losses of CTC with dense labels and any blank, against sums over all paths; and dense labels."""

import itertools

import numpy as np

import troupe as tf

LOGITS = np.random.RandomState(0).randn(4, 4, 3).astype(np.float32)
LABELS = [[1, 2, 9], [1, 1, 9], [2, 9, 9], [9, 9, 9]]  # 9 is padding
LABEL_LENGTHS, LOGIT_LENGTHS = [2, 2, 1, 0], [4, 4, 2, 3]


def loss_of_all_paths(logits, labels, blank):
    """-log of the sum over all paths of one sequence, [time, classes], that give the labels."""
    shares = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    total = 0.0
    for path in itertools.product(range(logits.shape[1]), repeat=len(logits)):
        merged = [label for label, _ in itertools.groupby(path) if label != blank]
        if merged == list(labels):
            total += np.prod([shares[time, label] for time, label in enumerate(path)])
    return -np.log(total) if total else np.inf


def expected_losses(labels, blank, logits=LOGITS, lengths=LOGIT_LENGTHS):
    return [
        loss_of_all_paths(logits[:length, i], labels[i][:count], blank)
        for i, (count, length) in enumerate(zip(LABEL_LENGTHS, lengths))
    ]


class CtcLossTest(tf.test.TestCase):
    def test_a_loss_sums_all_paths(self):
        time_major = tf.nn.ctc_loss_v2(LABELS, LOGITS, LABEL_LENGTHS, LOGIT_LENGTHS)
        batch_major = tf.nn.ctc_loss_v2(
            LABELS, LOGITS.transpose(1, 0, 2), LABEL_LENGTHS, LOGIT_LENGTHS, logits_time_major=False
        )
        with tf.Session() as session:
            expected = expected_losses(LABELS, blank=0)
            self.assertAllClose(session.run(time_major), expected)
            self.assertAllClose(session.run(batch_major), expected)

    def test_any_class_may_be_the_blank(self):
        sized = tf.placeholder_with_default(LOGITS, [None, None, None])
        for blank, others in ((0, (1, 2)), (1, (0, 2)), (2, (0, 1))):
            labels = [[others[each - 1] if each < 9 else 9 for each in row] for row in LABELS]
            expected = expected_losses(labels, blank)
            for index in (blank, blank - 3):
                losses = [
                    tf.nn.ctc_loss_v2(
                        labels, logits, LABEL_LENGTHS, LOGIT_LENGTHS, blank_index=index
                    )
                    for logits in (LOGITS, sized)
                ]
                with self.subTest(blank_index=index), tf.Session() as session:
                    for loss in losses:
                        self.assertAllClose(session.run(loss), expected)

    def test_sparse_labels_give_the_loss_of_dense_ones(self):
        places = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0]]
        logits, lengths = LOGITS[:, :3], LOGIT_LENGTHS[:3]
        for blank, values in ((0, [1, 2, 1, 1, 2]), (-1, [0, 1, 0, 0, 1])):
            labels = tf.SparseTensor(places, values, [3, 2])
            sparse = tf.nn.ctc_loss_v2(labels, logits, None, lengths, blank_index=blank)
            with self.subTest(blank_index=blank), tf.Session() as session:
                rows = [[*values[:2]], [*values[2:4]], [*values[4:]], []]
                expected = expected_losses(rows, blank % 3)[:3]
                self.assertAllClose(session.run(sparse), expected)

    def test_the_gradient_is_that_of_finite_differences(self):
        logits = tf.constant(LOGITS)
        loss = tf.reduce_sum(
            tf.nn.ctc_loss_v2(LABELS, logits, LABEL_LENGTHS, LOGIT_LENGTHS) * [1.0, 2.0, 3.0, 4.0]
        )
        (gradient,) = tf.gradients(loss, logits)
        with tf.Session() as session:
            found = session.run(gradient)
        step = 1e-5
        for place in itertools.product(range(4), range(4), range(3)):
            moved = [LOGITS.astype(np.float64) for _ in range(2)]
            moved[0][place] += step
            moved[1][place] -= step
            high, low = (np.dot(expected_losses(LABELS, 0, each), [1, 2, 3, 4]) for each in moved)
            self.assertAllClose(found[place], (high - low) / (2 * step), atol=1e-4)

    def test_a_sequence_too_short_for_its_labels_is_impossible(self):
        for lengths in ([1, 4, 2, 3], [4, 2, 2, 3], [4, 4, 0, 0]):
            logits = tf.constant(LOGITS)
            loss = tf.nn.ctc_loss_v2(LABELS, logits, LABEL_LENGTHS, lengths)
            (gradient,) = tf.gradients(loss, logits)
            with self.subTest(logit_length=lengths), tf.Session() as session:
                expected = expected_losses(LABELS, 0, lengths=lengths)
                self.assertIn(np.inf, expected)
                self.assertAllClose(session.run(loss), expected)
                self.assertTrue(np.isfinite(session.run(gradient)).all())

    def test_unique_labels_do_not_change_the_loss(self):
        labels = [[1, 2, 0], [1, 1, 0], [2, 0, 0], [0, 0, 0]]
        unique = tf.nn.ctc_unique_labels(labels)
        loss = tf.nn.ctc_loss_v2(labels, LOGITS, LABEL_LENGTHS, LOGIT_LENGTHS, unique=unique)
        with tf.Session() as session:
            self.assertAllClose(session.run(loss), expected_losses(LABELS, 0))

    def test_arguments_that_are_missing_are_named(self):
        sparse = tf.SparseTensor([[0, 0]], [1], [4, 1])
        with self.assertRaisesRegex(ValueError, "'blank_index' is required for sparse"):
            tf.nn.ctc_loss_v2(sparse, LOGITS, None, LOGIT_LENGTHS)
        with self.assertRaisesRegex(ValueError, "'label_length' is required"):
            tf.nn.ctc_loss_v2(LABELS, LOGITS, None, LOGIT_LENGTHS)
        for index in (3, -4):
            with self.assertRaisesRegex(ValueError, f"{index} is not one of 3 classes"):
                tf.nn.ctc_loss_v2(LABELS, LOGITS, LABEL_LENGTHS, LOGIT_LENGTHS, blank_index=index)


class CtcLabelsTest(tf.test.TestCase):
    def test_labels_in_a_row_become_one(self):
        labels = [[1, 1, 2, 2, 1], [1, 2, 3, 4, 5], [7, 7, 7, 8, 8], [3, 3, 3, 3, 3]]
        collapsed, lengths = tf.nn.collapse_repeated(labels, [5, 4, 3, 0])
        with tf.Session() as session:
            expected = [[1, 2, 1, 0], [1, 2, 3, 4], [7, 0, 0, 0], [0, 0, 0, 0]]
            self.assertAllEqual(session.run(collapsed), expected)
            self.assertAllEqual(session.run(lengths), [3, 4, 1, 0])

    def test_collapsed_labels_keep_their_dtypes(self):
        labels = tf.placeholder(tf.int8)
        lengths = tf.placeholder(tf.int64)
        found = tf.nn.collapse_repeated(labels, lengths)
        self.assertEqual([each.dtype for each in found], [tf.int8, tf.int64])
        with tf.Session() as session:
            collapsed, counts = session.run(found, {labels: [[4, 4, 5]], lengths: [3]})
            self.assertAllEqual(collapsed, [[4, 5]])
            self.assertAllEqual(counts, [2])
            empty = session.run(found, {labels: np.zeros([0, 2]), lengths: np.zeros([0])})
            self.assertAllEqual(empty[0].shape, [0, 0])

    def test_unique_labels_are_in_the_order_of_their_first_places(self):
        found, places = tf.nn.ctc_unique_labels([[3, 4, 4, 3], [1, 1, 1, 0]])
        self.assertEqual([found.dtype, places.dtype], [tf.int64, tf.int32])
        with tf.Session() as session:
            self.assertAllEqual(session.run(found), [[3, 4, 0, 0], [1, 0, 0, 0]])
            self.assertAllEqual(session.run(places), [[0, 1, 1, 0], [0, 0, 0, 1]])


if __name__ == "__main__":
    tf.test.main()
