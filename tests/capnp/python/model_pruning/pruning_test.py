"""Pruning sets the masks of the smallest weights to zero, as TensorFlow does."""

import tempfile
import unittest

import numpy as np

import troupe as tf

pruning = tf.contrib.model_pruning
FIRST = np.reshape(np.sin(np.arange(24.0)), [6, 4]).astype(np.float32)


def spec(text=""):
    return pruning.get_pruning_hparams().parse(text)


class PruningTest(tf.test.TestCase):
    def test_apply_mask_adds_variables_and_fills_the_collections(self):
        w = tf.get_variable("w", initializer=FIRST)
        product = pruning.apply_mask(w, "scope")
        self.assertEqual(product.op.name, "weights/masked_weight")
        self.assertEqual([v.op.name for v in pruning.get_masks()], ["scope/mask"])
        self.assertEqual([v.op.name for v in pruning.get_thresholds()], ["scope/threshold"])
        self.assertIs(pruning.get_weights()[0], w)
        self.assertIs(pruning.get_masked_weights()[0], product)
        self.assertEqual(tf.trainable_variables(), [w])

    def test_layers_name_their_variables_as_tensorflow(self):
        pruning.masked_conv2d(tf.zeros([1, 5, 5, 2]), 3, 3, scope="conv")
        pruning.masked_fully_connected(tf.zeros([2, 4]), 3)
        cell = pruning.MaskedBasicLSTMCell(2)
        tf.nn.static_rnn(cell, [tf.zeros([1, 3])] * 2, dtype=tf.float32)
        names = [v.op.name for v in tf.global_variables()]
        self.assertEqual(names, [
            "conv/mask", "conv/weights", "conv/threshold", "conv/biases",
            "fully_connected/weights", "fully_connected/mask", "fully_connected/threshold",
            "fully_connected/biases",
            "rnn/masked_basic_lstm_cell/kernel", "rnn/masked_basic_lstm_cell/bias",
            "rnn/masked_basic_lstm_cell/mask", "rnn/masked_basic_lstm_cell/threshold",
        ])  # fmt: skip
        self.assertEqual([v.op.name for v in pruning.get_masked_weights()][:2], [
            "conv/weights/masked_weight", "fully_connected/weights/masked_weight",
        ])  # fmt: skip

    def updated(self, text, sparsity=0.5):
        """The mask of FIRST, and its threshold, after an update."""
        tf.train.get_or_create_global_step()
        pruning.apply_mask(tf.get_variable("w", initializer=FIRST))
        update = pruning.Pruning(spec(text), sparsity=tf.constant(sparsity)).mask_update_op()
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(update)
            return session.run([pruning.get_masks()[0], pruning.get_thresholds()[0]])

    def test_the_smallest_weights_become_zero(self):
        mask, threshold = self.updated("")
        self.assertAllEqual(mask, np.abs(FIRST) >= np.sort(np.abs(FIRST).ravel())[12])
        self.assertAllClose(threshold, np.sort(np.abs(FIRST).ravel())[12])

    def test_thresholds_are_moving_averages(self):
        _, threshold = self.updated("threshold_decay=0.75")
        self.assertAllClose(threshold, np.sort(np.abs(FIRST).ravel())[12] / 4)

    def test_blocks_become_zero_as_a_whole(self):
        mask, _ = self.updated("block_height=2,block_width=2")
        blocks = np.abs(FIRST).reshape(3, 2, 2, 2).mean((1, 3))
        kept = blocks >= np.sort(blocks.ravel())[3]
        self.assertAllEqual(mask, np.kron(kept, np.ones([2, 2])))

    def test_the_greatest_weight_of_a_block_may_count(self):
        mask, _ = self.updated("block_height=4,block_width=-1,block_pooling_function=MAX")
        self.assertAllEqual(mask, np.repeat([[1.0], [0.0]], [4, 2], 0) * np.ones([1, 4]))

    def test_a_map_gives_the_blocks_of_some_weights(self):
        mask, _ = self.updated("block_dims_map=[w:1x4]", 1 / 3)
        sums = np.abs(FIRST).sum(1)
        kept = (sums >= np.sort(sums)[2])[:, None]
        self.assertAllEqual(mask, kept * np.ones([1, 4]))

    def test_sparsity_grows_with_the_step(self):
        step = tf.train.get_or_create_global_step()
        pruning.apply_mask(tf.get_variable("w", initializer=FIRST))
        text = (
            "begin_pruning_step=1,end_pruning_step=7,pruning_frequency=2,target_sparsity=0.75,"
            "sparsity_function_end_step=6,weight_sparsity_map=[w:0.5]"
        )
        update = pruning.Pruning(spec(text)).conditional_mask_update_op()
        [share] = pruning.get_weight_sparsity()
        count, found = tf.assign_add(step, 1), []
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(9):
                session.run(update)
                found.append(session.run(share))
                session.run(count)
        # 0.5 * (1 - (1 - step / 6) ** 3) at the steps 2, 4 and 6, of 24 weights.
        shares = [0, 0, 8 / 24, 8 / 24, 12 / 24, 12 / 24, 12 / 24, 12 / 24, 12 / 24]
        self.assertAllClose(found, shares)

    def test_partitioned_weights_have_partitioned_masks(self):
        tf.train.get_or_create_global_step()
        with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(2)):
            pruning.masked_fully_connected(tf.zeros([1, 6]), 4)
        update = pruning.Pruning(sparsity=tf.constant(0.5)).mask_update_op()
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(update)
            self.assertAllClose(session.run(tf.convert_to_tensor(pruning.get_masks()[0])).sum(), 12)

    def test_hyperparameters_out_of_range_are_errors(self):
        tf.train.get_or_create_global_step()
        for text, message in (
            ("begin_pruning_step=-1", "begin_pruning_step"),
            ("begin_pruning_step=5,end_pruning_step=3", "begin before it can end"),
            ("sparsity_function_begin_step=100", "begin_step < end_step"),
            ("target_sparsity=1.0", "target_sparsity"),
            ("weight_sparsity_map=[a:1.0]", "can not exceed"),
            ("block_dims_map=[a:1x2x3]", "Expected 2 values"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                pruning.Pruning(spec(text))
        with self.assertRaisesRegex(ValueError, "Unknown pooling"):
            self.updated("block_height=2,block_pooling_function=MIN")

    def test_stripped_graphs_have_no_masks_and_give_the_same_results(self):
        x = tf.placeholder(tf.float32, [None, 6], name="x")
        tf.train.get_or_create_global_step()
        y = tf.identity(pruning.masked_fully_connected(x, 4, scope="layer"), name="y")
        update = pruning.Pruning(sparsity=tf.constant(0.5)).mask_update_op()
        rows = np.ones([2, 6])
        with tempfile.TemporaryDirectory() as folder:
            with self.session() as session:
                session.run(tf.global_variables_initializer())
                session.run(update)
                expected = session.run(y, {x: rows})
                tf.train.Saver().save(session, f"{folder}/model")
            with tf.Graph().as_default():
                whole = pruning.graph_def_from_checkpoint(folder, ["y"])
        stripped = pruning.strip_pruning_vars_fn(whole, ["y"])
        names = [node.name for node in stripped.node]
        self.assertIn("layer/weights/masked_weight", names)
        self.assertFalse([name for name in names if name.endswith(("mask", "threshold"))])
        with tf.Graph().as_default(), tf.Session() as session:
            tf.import_graph_def(stripped, name="")
            self.assertAllClose(session.run("y:0", {"x:0": rows}), expected)
        with self.assertRaisesRegex(ValueError, "Could not find a checkpoint"):
            pruning.graph_def_from_checkpoint("/no/such/folder", ["y"])

    def test_train_updates_masks_after_each_step(self):
        tf.train.get_or_create_global_step()
        tf.losses.add_loss(tf.reduce_mean(pruning.masked_fully_connected(tf.ones([1, 6]), 4) ** 2))
        loss = tf.losses.get_total_loss()
        train = tf.contrib.slim.learning.create_train_op(
            loss, tf.train.GradientDescentOptimizer(0.1)
        )
        text = "pruning_frequency=1,sparsity_function_end_step=2"
        update = pruning.Pruning(spec(text)).conditional_mask_update_op()
        with tempfile.TemporaryDirectory() as folder:
            pruning.train(
                train, folder, update, number_of_steps=3, log_every_n_steps=0, save_interval_secs=0
            )
            path = tf.train.latest_checkpoint(folder)
            mask = tf.train.load_variable(path, "fully_connected/mask")
        self.assertAllClose(mask.sum(), 12)


if __name__ == "__main__":
    unittest.main()
