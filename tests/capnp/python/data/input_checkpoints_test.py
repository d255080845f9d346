"""Checkpoints of the input of an estimator."""

import os
import unittest

import troupe as tf


def input_fn():
    return tf.data.Dataset.range(100).map(lambda x: ({"x": x}, x))


class InputCheckpointsTest(tf.test.TestCase):
    def train(self, folder, steps, **config):
        """The elements that the steps took."""
        taken = []

        def model_fn(features, labels, mode):
            step = tf.train.get_global_step()
            w = tf.get_variable("w", initializer=1.0)
            note = tf.py_func(lambda x: taken.append(int(x)), [features["x"]], [])
            with tf.control_dependencies([note]):
                train = tf.group(w.assign_add(1.0), step.assign_add(1))
            return tf.estimator.EstimatorSpec(mode, loss=w.read_value(), train_op=train)

        run_config = tf.estimator.RunConfig(save_checkpoints_steps=2, **config)
        estimator = tf.estimator.Estimator(model_fn, folder, run_config)
        hook = tf.data.experimental.CheckpointInputPipelineHook(estimator)
        estimator.train(input_fn, hooks=[hook], steps=steps)
        return taken

    def test_a_training_goes_on_behind_the_elements_of_the_one_before(self):
        folder = self.get_temp_dir()
        self.assertEqual(self.train(folder, 3), [0, 1, 2])
        self.assertEqual(self.train(folder, 3), [3, 4, 5])

    def test_checkpoints_of_the_input_lie_beside_those_of_the_model(self):
        folder = os.path.join(self.get_temp_dir(), "model")
        self.train(folder, 3)
        latest = tf.train.latest_checkpoint(folder, "checkpoint_input")
        self.assertEqual(os.path.basename(latest), "input.ckpt-3")
        names = [name for name, _ in tf.train.list_variables(latest)]
        self.assertEqual(len(names), 1, names)
        self.assertTrue(names[0].endswith("-state"))
        self.assertEqual(os.path.basename(tf.train.latest_checkpoint(folder)), "model.ckpt-3")


if __name__ == "__main__":
    unittest.main()
