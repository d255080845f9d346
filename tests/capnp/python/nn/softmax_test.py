"""tf.nn.softmax and its logarithm along any axis."""

import unittest

import numpy as np

import troupe as tf

LOGITS = np.random.RandomState(1).uniform(-3, 3, [2, 3, 4]).astype(np.float32)


def softmax(axis):
    exponentials = np.exp(LOGITS)
    return exponentials / exponentials.sum(axis, keepdims=True)


class SoftmaxTest(tf.test.TestCase):
    def test_the_axis_may_be_chosen_in_the_step(self):
        fed, axis = tf.placeholder(tf.float32), tf.placeholder(tf.int32, [])
        for logits in (tf.constant(LOGITS), fed):
            one, other = tf.nn.softmax(logits, axis), tf.nn.log_softmax(logits, axis)
            self.assertEqual(one.shape.rank, logits.shape.rank)
            with self.session() as session:
                for at in range(-3, 3):
                    values = session.run([one, other], {fed: LOGITS, axis: at})
                    self.assertAllClose(values[0], softmax(at))
                    self.assertAllClose(values[1], np.log(softmax(at)))
                for at in (3, -4, 100):
                    with self.assertRaises(tf.errors.InvalidArgumentError):
                        session.run(one, {fed: LOGITS, axis: at})

    def test_the_rank_may_be_known_in_the_step_alone(self):
        logits = tf.placeholder(tf.float32)
        with self.session() as session:
            for at in (-2, 0, 1, 2):
                value = session.run(tf.nn.softmax(logits, at), {logits: LOGITS})
                self.assertAllClose(value, softmax(at))


if __name__ == "__main__":
    unittest.main()
