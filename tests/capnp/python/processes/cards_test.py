"""Programs on GPUs: emulated cards, which run the kernels of NVIDIA's cards on the host."""

import os
import unittest

from nodes import PROGRAMS, Nodes

# Read when the first session opens.
os.environ["TROUPE_CARD_LIBRARY"] = str(PROGRAMS.parent / "lib/libtroupe_emulated_cuda.so")

import numpy as np  # noqa: E402
import troupe as tf  # noqa: E402
from troupe.python.ops.data_flow_ops import MapStagingArea, StagingArea  # noqa: E402

SOFT = tf.ConfigProto(allow_soft_placement=True)


class Network:
    """Two layers that learn which of two halves of a vector has the greater sum."""

    def __init__(self, device):
        with tf.device(device):
            self.x = tf.placeholder(tf.float32, [None, 20])
            self.labels = tf.placeholder(tf.int32, [None])
            hidden = tf.layers.dense(
                self.x, 16, tf.nn.relu, kernel_initializer=tf.glorot_uniform_initializer(seed=1)
            )
            logits = tf.layers.dense(
                hidden, 2, kernel_initializer=tf.glorot_uniform_initializer(seed=2)
            )
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=self.labels, logits=logits
            )
            self.loss = tf.reduce_mean(losses)
            self.right = tf.reduce_mean(tf.to_float(tf.nn.in_top_k(logits, self.labels, 1)))
            self.train = tf.train.AdamOptimizer(0.05).minimize(self.loss)
            self.initialize = tf.global_variables_initializer()

    def feeds(self, seed):
        x = np.random.RandomState(seed).randn(64, 20)
        return {self.x: x, self.labels: x[:, :10].sum(1) > x[:, 10:].sum(1)}

    def learn(self, session):
        """The losses of all steps, and the accuracy after them."""
        session.run(self.initialize)
        losses = [session.run([self.loss, self.train], self.feeds(i))[0] for i in range(80)]
        return losses, session.run(self.right, self.feeds(100))


class CardsTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def learned(self, device, config):
        tf.reset_default_graph()
        network = Network(device)
        with tf.Session(config=config) as session:
            return network.learn(session)

    def test_a_session_of_this_process_lists_its_cards(self):
        with tf.Session() as session:
            names = [device.name for device in session.list_devices()]
        place = "/job:localhost/task:0/device:"
        self.assertEqual(names, [f"{place}{name}" for name in ("CPU:0", "GPU:0", "GPU:1")])
        one = tf.ConfigProto(gpu_options=tf.GPUOptions(visible_device_list="1"))
        with tf.Session(config=one) as session:
            self.assertEqual(len(session.list_devices()), 2)
        with tf.Session(config=tf.ConfigProto(device_count={"GPU": 0})) as session:
            self.assertEqual(len(session.list_devices()), 1)

    def test_programs_that_ask_for_a_gpu_find_it(self):
        self.assertTrue(tf.test.is_gpu_available())
        self.assertEqual(tf.test.gpu_device_name(), "/device:GPU:0")
        strategy = tf.distribute.MirroredStrategy()
        self.assertEqual(strategy.extended.worker_devices, ("/device:GPU:0", "/device:GPU:1"))

    def replicas_learned(self, strategy):
        """The weight that replicas have after some steps, one copy after the other."""
        tf.reset_default_graph()
        x = np.random.RandomState(0).randn(8, 3).astype(np.float32)
        with strategy.scope():
            weight = tf.get_variable("weight", [3, 1], initializer=tf.ones_initializer())
            data = tf.data.Dataset.from_tensor_slices(x).batch(8).repeat()
            iterator = strategy.make_dataset_iterator(data)

            def step(rows):
                loss = tf.reduce_sum((tf.matmul(rows, weight) - 2.0) ** 2)
                return tf.train.AdamOptimizer(0.1).minimize(loss)

            train = strategy.group(strategy.experimental_run(step, iterator))
        with tf.Session(config=SOFT) as session:
            session.run([tf.global_variables_initializer(), iterator.initialize()])
            for _ in range(5):
                session.run(train)
            copies = getattr(weight, "values", [weight])
            return session.run([each.value() for each in copies])

    def test_replicas_on_two_cards_learn_as_one(self):
        found = self.replicas_learned(tf.distribute.MirroredStrategy())
        self.assertEqual(len(found), 2)
        np.testing.assert_array_equal(*found)
        alone = self.replicas_learned(tf.distribute.OneDeviceStrategy("/cpu:0"))
        np.testing.assert_allclose(found[0], alone[0], rtol=1e-5)

    def test_a_network_learns_on_a_card_as_on_the_cpu(self):
        losses, accuracy = self.learned("/gpu:1", SOFT)
        expected, expected_accuracy = self.learned("/cpu:0", SOFT)
        np.testing.assert_allclose(losses, expected, rtol=1e-3, atol=1e-4)
        self.assertGreater(accuracy, 0.9)
        self.assertAlmostEqual(accuracy, expected_accuracy, delta=0.02)

    def test_captured_work_gives_the_same_as_single_kernels(self):
        plain = tf.ConfigProto(
            allow_soft_placement=True, gpu_options=tf.GPUOptions(capture_graphs=False)
        )
        self.assertEqual(self.learned("/gpu:0", SOFT), self.learned("/gpu:0", plain))

    def loop_over_rows(self, device):
        """What a loop that reads and writes TensorArrays computes, and its gradient."""
        tf.reset_default_graph()
        x = tf.constant(np.random.RandomState(1).randn(5, 3, 4), tf.float32)
        w = tf.constant(np.random.RandomState(2).randn(4, 4), tf.float32)
        with tf.device(device):
            rows = tf.TensorArray(tf.float32, 5).unstack(x)

            def step(i, state, states):
                mixed = tf.reduce_sum(state[:, :, None] * w[None], axis=1)
                state = tf.tanh(rows.read(i) + mixed)
                return i + 1, state, states.write(i, state)

            states = tf.TensorArray(tf.float32, 5)
            loop = (tf.constant(0), tf.zeros([3, 4]), states)
            states = tf.while_loop(lambda i, *_: i < 5, step, loop)[2].stack()
            gradients = tf.gradients(tf.reduce_sum(states**2), [x, w])
        with tf.Session() as session:
            return session.run([states] + gradients)

    def test_a_loop_keeps_tensor_arrays_on_the_card(self):
        for on_card, expected in zip(self.loop_over_rows("/gpu:1"), self.loop_over_rows("/cpu:0")):
            np.testing.assert_allclose(on_card, expected, rtol=1e-4, atol=1e-5)

    def test_staged_tuples_stay_on_the_card_while_others_are_computed(self):
        with tf.device("/gpu:0"):
            x = tf.placeholder(tf.float32, [3])
            area = StagingArea([tf.float32, tf.int32], capacity=2)
            put = area.put([x * 2, tf.constant([1, 2])])
            scaled, numbers = area.get()
            total = tf.reduce_sum(scaled) + tf.cast(numbers[1], tf.float32)
            size = area.size()
            keyed = MapStagingArea([tf.float32])
            put_keyed = keyed.put(tf.constant(7, tf.int64), [x + 1], [0])
            taken = keyed.get(tf.constant(7, tf.int64))
        with tf.Session() as session:
            session.run(put, {x: [1, 2, 3]})
            session.run(put, {x: [4, 5, 6]})
            self.assertEqual(session.run(size), 2)
            with self.assertRaises(tf.errors.DeadlineExceededError):
                session.run(put, {x: [7, 8, 9]}, tf.RunOptions(timeout_in_ms=100))
            self.assertEqual(session.run(total), 14)
            self.assertEqual(session.run([total, put], {x: [0, 0, 1]})[0], 32)
            self.assertEqual(session.run(total), 4)
            session.run(put_keyed, {x: [1, 2, 3]})
            key, (value,) = session.run(taken)
            self.assertEqual(key, 7)
            np.testing.assert_array_equal(value, [2, 3, 4])

    def test_an_op_without_a_kernel_of_the_card_names_itself(self):
        with tf.device("/gpu:0"):
            text = tf.strings.upper(tf.constant("a"))
        with tf.Session() as session, self.assertRaisesRegex(tf.errors.OpError, "StringUpper"):
            session.run(text)
        with tf.Session(config=SOFT) as session:
            self.assertEqual(session.run(text), b"A")

    def test_resources_that_cards_have_no_kernels_for_are_on_the_cpu(self):
        numbers = tf.data.Dataset.from_tensor_slices(np.arange(6, dtype=np.float32)).batch(3)
        iterator = numbers.make_initializable_iterator()
        table = tf.contrib.lookup.index_table_from_tensor(["a", "b", "c"])
        queue = tf.FIFOQueue(3, tf.float32, [])
        weights = tf.get_variable("weights", [3], initializer=tf.ones_initializer())
        rows = tf.nn.embedding_lookup(weights, table.lookup(tf.constant(["c", "a"])))
        product = tf.reduce_sum(weights * iterator.get_next())
        train = tf.train.AdagradOptimizer(0.5).minimize(tf.reduce_sum(rows) + product)
        initialize = [iterator.initializer, tf.tables_initializer()]
        with tf.Session() as session:
            session.run([tf.global_variables_initializer()] + initialize)
            self.assertEqual(session.run(product), 3)
            session.run(train)
            session.run(queue.enqueue(7.0))
            self.assertEqual(session.run(queue.dequeue()), 7)
            session.run(iterator.initializer)
            trained = session.run(weights)
        self.assertTrue((trained < 1).all(), trained)

    def test_what_tensorflow_computes_on_gpus_may_be_placed_on_a_card(self):
        numbers = np.array([[3.0, 1.0], [1.0, 2.0]], np.float32)
        with tf.device("/gpu:0"):
            x = tf.constant(numbers)
            results = [
                tf.where(x > 1.5),
                tf.cholesky(x),
                tf.real(tf.fft(tf.cast(x, tf.complex64))),
                tf.bincount(tf.cast(x[0], tf.int32)),
                tf.check_numerics(x, "x") + 1.0,
            ]
        with tf.Session() as session:
            where, root, transform, counts, checked = session.run(results)
        np.testing.assert_array_equal(where, np.argwhere(numbers > 1.5))
        np.testing.assert_allclose(root, np.linalg.cholesky(numbers), rtol=1e-5)
        np.testing.assert_allclose(transform, np.fft.fft(numbers).real, rtol=1e-5)
        np.testing.assert_array_equal(counts, [0, 1, 0, 1])
        np.testing.assert_array_equal(checked, numbers + 1)

    def tensors_between_cards(self, *flags):
        """What comes back from cards of two nodes that hand tensors to each other."""
        tf.reset_default_graph()
        numbers = np.random.RandomState(3).rand(2500, 1024).astype(np.float32)  # some pieces
        fed = tf.placeholder(tf.float32, numbers.shape)
        with tf.device("/job:worker/task:0/gpu:0"):
            doubled = fed * 2.0
        with tf.device("/job:worker/task:1/gpu:1"):
            rows = tf.reduce_sum(tf.exp(-doubled), axis=1)
        with tf.device("/job:worker/task:0/gpu:1"):
            result = tf.nn.top_k(rows + doubled[:, 0], 5)
        with Nodes(flags=flags, worker=2) as nodes:
            with tf.Session(nodes.target("worker", 0)) as session:
                for _ in range(4):  # regions are lent after the first step, pieces are captured
                    values, places = session.run(result, {fed: numbers})
        sums = np.exp(-2 * numbers).sum(1) + 2 * numbers[:, 0]
        expected = np.argsort(-sums)[:5]
        np.testing.assert_array_equal(places, expected)
        np.testing.assert_allclose(values, sums[expected], rtol=1e-4)

    def test_nodes_of_a_machine_hand_tensors_from_card_to_card(self):
        self.tensors_between_cards("--gpu-memory-fraction", "0.4")

    def test_nodes_of_different_machines_send_tensors_of_cards(self):
        self.tensors_between_cards("--tcp-only")

    def test_a_node_gives_a_task_no_more_of_a_card_than_its_fraction(self):
        with Nodes(flags=["--gpu-memory-fraction", "0.25"], worker=2) as nodes:
            with tf.Session(nodes.target("worker", 1)) as session:
                gpus = [d for d in session.list_devices() if d.device_type == "GPU"]
                self.assertEqual({gpu.memory_limit_bytes for gpu in gpus}, {1 << 30})
                with tf.device("/job:worker/task:1/gpu:0"):
                    large = tf.zeros([300, 1024, 1024]) + 1.0
                with self.assertRaisesRegex(tf.errors.ResourceExhaustedError, "1 GiB"):
                    session.run(tf.reduce_sum(large))


if __name__ == "__main__":
    unittest.main()
