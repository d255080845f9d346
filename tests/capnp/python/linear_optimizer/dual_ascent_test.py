"""The ops of stochastic dual coordinate ascent: their results are TensorFlow's."""

import unittest

import numpy as np

import troupe as tf


def ascend(label, loss_type, state, sparse, dense, **more):
    """One pass over an example that has sparse features with values and without, and dense ones."""
    options = {"l1": 0.5, "l2": 2.0, "num_loss_partitions": 2, "num_inner_iterations": 1, **more}
    return tf.train.sdca_optimizer(
        sparse_example_indices=[[0, 0], [0, 0, 0]],
        sparse_feature_indices=[[7, 5], [1, 0, 2]],
        sparse_feature_values=[[0.5, -1.5]],
        dense_features=[[[2.0, -1.0]]],
        example_weights=[3.0],
        example_labels=[label],
        sparse_indices=[[5, 6, 7], [2, 1, 0, 9]],
        sparse_weights=sparse,
        dense_weights=dense,
        example_state_data=state,
        loss_type=loss_type,
        **options,
    )


class DualAscentTest(tf.test.TestCase):
    def test_passes_give_what_tensorflow_gives(self):
        state = tf.placeholder(tf.float32, [1, 4])
        sparse = [tf.placeholder(tf.float32, [3]), tf.placeholder(tf.float32, [4])]
        dense = [tf.placeholder(tf.float32, [2])]
        found = ascend(1.0, "logistic_loss", state, sparse, dense)
        self.assertEqual(found.out_example_state_data.shape.as_list(), [None, 4])
        self.assertEqual([each.shape[0].value for each in found.out_delta_sparse_weights], [3, 4])
        weights = [[0.3, -0.8, 0.0], [0.1, 0.2, -0.3, 0.4], [0.9, -0.2]]
        values = [np.array(each, np.float32) for each in weights]
        now = np.zeros([1, 4], np.float32)
        with self.session() as sess:
            for _ in range(4):
                feed = {state: now, sparse[0]: values[0], sparse[1]: values[1], dense[0]: values[2]}
                now, of_sparse, of_dense = sess.run(
                    [found[0], list(found[1]), list(found[2])], feed
                )
                deltas = [*of_sparse, *of_dense]
                values = [value + delta for value, delta in zip(values, deltas)]
        self.assertAllClose(now, [[0.0975487, 0.3739727, -0.9146962, 3.0]])
        self.assertAllClose(deltas[0], [-0.0146825, 0.0, 0.0048942], atol=1e-6)
        self.assertAllClose(deltas[1], [0.0097883, 0.0097883, 0.0097883, 0.0], atol=1e-6)
        self.assertAllClose(deltas[2], [0.0195766, -0.0097883], atol=1e-6)

    def test_probabilities_are_adaptive_by_default(self):
        zeros = [np.zeros([3], np.float32), np.zeros([4], np.float32), np.zeros([2], np.float32)]
        state = np.zeros([1, 4], np.float32)
        found = ascend(1.0, "hinge_loss", state, zeros[:2], zeros[2:])
        self.assertTrue(found[0].op.get_attr("adaptative"))
        found = ascend(1.0, "hinge_loss", state, zeros[:2], zeros[2:], adaptative=False)
        self.assertFalse(found[0].op.get_attr("adaptative"))

    def test_a_loss_that_there_is_not_is_refused(self):
        zeros = [np.zeros([3], np.float32), np.zeros([4], np.float32), np.zeros([2], np.float32)]
        with self.assertRaisesRegex(ValueError, "no_loss"):
            ascend(1.0, "no_loss", np.zeros([1, 4], np.float32), zeros[:2], zeros[2:])

    def test_a_label_that_does_not_fit_is_refused(self):
        zeros = [np.zeros([3], np.float32), np.zeros([4], np.float32), np.zeros([2], np.float32)]
        found = ascend(2.0, "hinge_loss", np.zeros([1, 4], np.float32), zeros[:2], zeros[2:])
        with self.session() as sess:
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Only labels of 0.0 or"):
                sess.run(found[0])

    def test_fingerprints_are_those_of_tensorflow(self):
        prints = tf.train.sdca_fprint(["", "abc" * 5, "z" * 300])
        self.assertEqual(prints.shape.as_list(), [3, 2])
        expected = [
            [4463240938071824939, 4374473821787594281],
            [-9072450112038581917, 7776541700551346215],
            [-9086581429888399439, -4962928450288899389],
        ]
        with self.session() as sess:
            self.assertAllEqual(sess.run(prints), expected)

    def test_weights_shrink_of_both_kinds_of_variables(self):
        for use_resource in (False, True):
            with self.subTest(use_resource=use_resource), tf.Graph().as_default():
                v = tf.Variable([1.0, -2.0, 0.25, 0.0], use_resource=use_resource)
                w = tf.Variable([[0.5], [-5.0]], use_resource=use_resource)
                shrink = tf.train.sdca_shrink_l1([v, w], l1=0.5, l2=2.0)
                with self.session() as sess:
                    sess.run(tf.global_variables_initializer())
                    sess.run(shrink)
                    found = sess.run([v, w])
                self.assertAllClose(found[0], [0.75, -1.75, 0.0, 0.0])
                self.assertAllClose(found[1], [[0.25], [-4.75]])

    def test_weights_without_values_do_not_shrink(self):
        v = tf.Variable([1.0], use_resource=False)
        with self.session() as sess:
            with self.assertRaises(tf.errors.FailedPreconditionError):
                sess.run(tf.train.sdca_shrink_l1([v], l1=0.5, l2=2.0))


if __name__ == "__main__":
    unittest.main()
