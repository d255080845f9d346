"""Embeddings of partitioned tables, and losses of sampled classes, are trained."""

import numpy as np

import troupe as tf


class EmbeddingsTest(tf.test.TestCase):
    def test_a_lookup_reads_each_partition_on_its_device(self):
        devices = ["/job:ps/task:0", "/job:ps/task:1"]
        tables = []
        for device in devices:
            with tf.device(device):
                tables.append(tf.Variable(tf.zeros([3, 2])))
        with tf.device("/job:worker/task:0"):
            tf.nn.embedding_lookup(tables, [0, 5])
        gathers = [op for op in tf.get_default_graph().get_operations() if op.type == "GatherV2"]
        self.assertEqual([op.device for op in gathers], devices)

    def test_only_the_rows_that_are_looked_up_get_gradients(self):
        tables = [tf.Variable(np.ones((2, 2), np.float32)) for _ in range(2)]
        rows = tf.nn.embedding_lookup(tables, [2, 0, 2])
        gradients = tf.gradients(tf.reduce_sum(rows * [[1.0], [10.0], [100.0]]), tables)
        self.assertIsInstance(gradients[0], tf.IndexedSlices)
        step = tf.train.GradientDescentOptimizer(1.0).apply_gradients(zip(gradients, tables))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)
            self.assertAllEqual(session.run(tables[0]), [[-9, -9], [-100, -100]])
            self.assertAllEqual(session.run(tables[1]), np.ones((2, 2)))

    def test_an_id_beyond_the_table_fails(self):
        table = [tf.zeros([2, 1]), tf.zeros([1, 1])]
        for ids, strategy in (([3], "mod"), ([-1], "mod"), ([3], "div"), ([-1], "div")):
            lookup = tf.nn.embedding_lookup(table, tf.placeholder_with_default(ids, [1]), strategy)
            with self.subTest(ids=ids, strategy=strategy), tf.Session() as session:
                with self.assertRaises(tf.errors.InvalidArgumentError):
                    session.run(lookup)

    def test_shapes_that_are_known_in_the_step_only(self):
        table = [tf.placeholder(tf.float32, [None, 2]) for _ in range(2)]
        ids = tf.placeholder(tf.int32)
        found = tf.nn.embedding_lookup(table, ids, "div", max_norm=5.0)
        with tf.Session() as session:
            feeds = {table[0]: [[0, 1], [0, 2]], table[1]: [[0, 9]], ids: [[2], [1]]}
            self.assertAllClose(session.run(found, feeds), [[[0, 5]], [[0, 2]]])

    def test_wrong_arguments_are_refused(self):
        ids = tf.SparseTensor([[0, 0]], [1], [1, 1])
        with self.assertRaisesRegex(ValueError, "at least one param"):
            tf.nn.embedding_lookup([], [1])
        with self.assertRaisesRegex(ValueError, "partition strategy: both"):
            tf.nn.embedding_lookup([tf.zeros([1, 1])] * 2, [1], "both")
        with self.assertRaisesRegex(TypeError, "sp_ids"):
            tf.nn.embedding_lookup_sparse(tf.zeros([2, 1]), [1], None, combiner="sum")
        with self.assertRaisesRegex(TypeError, "sp_weights"):
            tf.nn.embedding_lookup_sparse(tf.zeros([2, 1]), ids, [1.0], combiner="sum")
        with self.assertRaisesRegex(ValueError, "combiner"):
            tf.nn.embedding_lookup_sparse(tf.zeros([2, 1]), ids, None, combiner="max")
        with self.assertRaisesRegex(ValueError, "Missing"):
            tf.nn.safe_embedding_lookup_sparse(None, ids)


class SampledLossesTest(tf.test.TestCase):
    def trained(self, loss, **options):
        """The classes that a model finds for one-hot rows, after steps with a sampled loss."""
        tf.set_random_seed(3)
        classes, rows = 30, np.eye(30, dtype=np.float32)
        labels = (np.arange(classes) * 7 % classes).reshape(-1, 1)
        weights = tf.get_variable("weights", [classes, classes], partitioner=None)
        biases = tf.get_variable("biases", [classes], initializer=tf.zeros_initializer())
        losses = loss(weights, biases, labels, rows, 10, classes, **options)
        step = tf.train.AdagradOptimizer(1.0).minimize(tf.reduce_mean(losses))
        logits = tf.matmul(rows, weights, transpose_b=True) + biases
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(150):
                session.run(step)
            found = session.run(tf.argmax(logits, 1))
        return np.mean(found == labels[:, 0])

    def test_a_sampled_softmax_learns_all_classes(self):
        self.assertGreater(self.trained(tf.nn.sampled_softmax_loss, seed=1), 0.95)

    def test_noise_contrastive_estimation_learns_all_classes(self):
        self.assertGreater(self.trained(tf.nn.nce_loss, remove_accidental_hits=True), 0.95)

    def test_unique_candidates_are_distinct(self):
        sampled = tf.nn.uniform_candidate_sampler([[3], [4]], 1, 5, True, 5).sampled_candidates
        with tf.Session() as session:
            self.assertAllEqual(sorted(session.run(sampled)), range(5))

    def test_a_class_is_expected_as_often_as_its_probability_says(self):
        drawn = tf.nn.fixed_unigram_candidate_sampler(
            [[0], [2]], 1, 8, False, 3, unigrams=[1.0, 2.0, 5.0]
        )
        with tf.Session() as session:
            found = session.run(drawn)
        expected = np.array([1.0, 2.0, 5.0])
        self.assertAllClose(found.true_expected_count, expected[[[0], [2]]])
        self.assertAllClose(found.sampled_expected_count, expected[found.sampled_candidates])

    def test_a_seed_gives_the_same_candidates_in_each_session(self):
        drawn = tf.nn.log_uniform_candidate_sampler([[0]], 1, 8, False, 1000, seed=5)
        found = []
        for _ in range(2):
            with tf.Session() as session:
                found.append(session.run(drawn.sampled_candidates))
        self.assertAllEqual(found[0], found[1])


if __name__ == "__main__":
    tf.test.main()
