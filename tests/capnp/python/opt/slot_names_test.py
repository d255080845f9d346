"""Slots of optimizers have TensorFlow's names, so that trainings go on from its checkpoints."""

import os
import tempfile
import unittest

import troupe as tf


def names():
    return {v.op.name for v in tf.global_variables()}


class SlotNamesTest(tf.test.TestCase):
    def test_slots_are_in_the_scope_of_variables_and_not_in_that_of_nodes(self):
        w = tf.get_variable("w", [2])
        with tf.name_scope("train"):
            tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(w))
        wanted = {"w", "w/Adam", "w/Adam_1", "train/beta1_power", "train/beta2_power"}
        self.assertEqual(names(), wanted)

    def test_slots_made_in_a_scope_of_variables_have_its_name_before_that_of_their_variable(self):
        with tf.variable_scope("model"):
            w = tf.get_variable("w", [2])
            tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(w))
        with tf.variable_scope("again"):
            tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(w))
        wanted = {"model/w", "model/model/w/Momentum", "again/model/w/Momentum"}
        self.assertEqual(names(), wanted)

    def test_the_slots_of_optimize_loss_are_in_its_scope(self):
        w = tf.get_variable("w", [2])
        step = tf.train.create_global_step()
        tf.contrib.layers.optimize_loss(tf.reduce_sum(w), step, 0.1, "Adam")
        self.assertLessEqual({"OptimizeLoss/w/Adam", "OptimizeLoss/beta1_power"}, names())

    def test_slots_of_parts_are_saved_without_as_much_of_their_names_as_a_part_has(self):
        partitioner = tf.fixed_size_partitioner(1)
        with tf.variable_scope("dnn", partitioner=partitioner):
            with tf.variable_scope("hidden"):
                parts = list(tf.get_variable("biases", [4]))
            loss = tf.reduce_sum(parts[0])
            tf.train.AdagradOptimizer(0.1).minimize(loss, var_list=parts)
        self.assertIn("dnn/dnn/hidden/biases/part_0/Adagrad", names())
        with tempfile.TemporaryDirectory() as folder, self.session() as session:
            session.run(tf.global_variables_initializer())
            path = tf.train.Saver().save(session, os.path.join(folder, "model"))
            found = [name for name, _ in tf.train.list_variables(path)]
        # "dnn/hidden/biases/part_0/" has 25 characters, which the name of the slot is without.
        self.assertEqual(found, ["dnn/hidden/biases", "dnn/hidden/biases/t_0/Adagrad"])


if __name__ == "__main__":
    unittest.main()
