"""Sessions in this process and on servers: feeds, fetches, callables, metadata and errors."""

import collections
import pickle
import queue
import threading
import time
import unittest

import numpy as np

import troupe as tf
from troupe._src.types.errors import from_status
from troupe.python.client.timeline import Timeline


def both_targets():
    """No target, and the target of a server."""
    yield ""
    server = tf.train.Server.create_local_server()
    yield server.target
    server.stop()


class FetchesTest(tf.test.TestCase):
    def test_results_have_the_structure_of_the_fetches(self):
        x, y = tf.constant(1.0, name="x"), tf.constant(2.0)
        v = tf.Variable(3.0)
        Pair = collections.namedtuple("Pair", "first second")
        with tf.Session() as session:
            session.run(v.initializer)
            run = session.run
            self.assertEqual(run(x), 1)
            self.assertEqual(run([x, [y, x]]), [1, [2, 1]])
            self.assertEqual(run((x, y)), (1, 2))
            self.assertEqual(run({"a": x, "b": (y, v)}), {"a": 1, "b": (2, 3)})
            self.assertEqual(run(Pair(x, y)).second, 2)
            self.assertEqual(run(["x", "x:0", y.op]), [None, 1, None])
            self.assertEqual(run([]), [])

    def test_an_invalid_fetch_is_an_error_that_names_it(self):
        with tf.Session() as session:
            with self.assertRaisesRegex(TypeError, "None"):
                session.run(None)
            with self.assertRaisesRegex(TypeError, "int"):
                session.run([1])
            with self.assertRaisesRegex(ValueError, "nobody"):
                session.run("nobody:0")

    def test_a_tensor_that_may_not_be_fed_is_an_error(self):
        x = tf.constant(1.0)
        x.graph.prevent_feeding(x)
        self.assertFalse(x.graph.is_feedable(x))
        with tf.Session() as session, self.assertRaisesRegex(ValueError, "may not be fed"):
            session.run(x, {x: 2.0})

    def test_the_name_of_an_operation_is_no_key_of_a_feed(self):
        x = tf.placeholder(tf.float32, [], name="x")
        with tf.Session() as session:
            with self.assertRaisesRegex(
                TypeError, "Cannot interpret feed_dict key as Tensor: The name 'x' refers to an Op"
            ):
                session.run(x, {"x": 1.0})
            self.assertEqual(session.run("x:0", {"x:0": 1.0}), 1.0)

    def test_names_stand_for_elements_of_the_kinds_that_are_allowed(self):
        graph = tf.get_default_graph()
        x = tf.constant(1.0, name="x")
        self.assertIs(graph.as_graph_element("x"), x.op)
        self.assertIs(graph.as_graph_element("x:0", allow_operation=False), x)
        with self.assertRaisesRegex(ValueError, "'x' refers to an Operation, not a Tensor"):
            graph.as_graph_element("x", allow_operation=False)
        with self.assertRaisesRegex(ValueError, "'y' looks like an .invalid. Operation name"):
            graph.as_graph_element("y", allow_operation=False)
        with self.assertRaisesRegex(ValueError, "'x:0' appears to refer to a Tensor"):
            graph.as_graph_element("x:0", allow_tensor=False)
        with self.assertRaisesRegex(ValueError, "can't both be False"):
            graph.as_graph_element(x, allow_tensor=False, allow_operation=False)

    def test_a_fed_tensor_is_fetched_as_fed(self):
        x = tf.placeholder(tf.float32, [2])
        for target in both_targets():
            with tf.Session(target) as session:
                self.assertAllEqual(session.run(x, {x: [1, 2]}), [1, 2])


class StepsTest(tf.test.TestCase):
    def test_a_graph_may_grow_between_steps(self):
        for target in both_targets():
            with tf.Session(target) as session:
                x = tf.constant(1.0)
                self.assertEqual(session.run(x), 1)
                self.assertEqual(session.run(x + 1.0), 2)

    def test_callables_take_the_feeds_in_their_order(self):
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        for target in both_targets():
            with tf.Session(target) as session:
                subtract = session.make_callable([x - y, y], [x, y])
                self.assertEqual(subtract(5.0, 3.0), [2, 3])
                self.assertEqual(subtract(1.0, 3.0), [-2, 3])
                with self.assertRaises(ValueError):
                    subtract(1.0)
            with self.assertRaises(RuntimeError):
                subtract(1.0, 2.0)

    def test_callables_may_take_options_and_give_metadata(self):
        x = tf.placeholder(tf.float32, [])
        y = tf.multiply(x, 2.0, name="doubled")
        for target in both_targets():
            with tf.Session(target) as session:
                double = session.make_callable({"y": y}, [x], accept_options=True)
                metadata = tf.RunMetadata()
                options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
                for _ in range(2):
                    self.assertEqual(double(2.0, options=options, run_metadata=metadata)["y"], 4)
                nodes = metadata.step_stats.dev_stats[0].node_stats
                self.assertIn("doubled", [node.node_name for node in nodes])
                self.assertEqual(double(3.0, run_metadata=metadata)["y"], 6)
                self.assertEqual(metadata.step_stats.dev_stats, [])
                with self.assertRaises(TypeError):
                    session.make_callable(y, [x])(1.0, options=options)

    def test_a_partial_run_is_fed_in_several_calls(self):
        a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        doubled = a * 2.0
        total = doubled + b
        for target in both_targets():
            with tf.Session(target) as session:
                handle = session.partial_run_setup([doubled, total], [a, b])
                first = session.partial_run(handle, doubled, {a: 3.0})
                self.assertEqual(first, 6)
                self.assertEqual(session.partial_run(handle, total, {b: first + 1}), 13)
                with self.assertRaises(tf.errors.OpError):
                    session.partial_run(handle, doubled)

    def test_metadata_have_the_times_of_nodes_and_the_partitions_of_devices(self):
        x = tf.random_uniform([64, 64])
        product = tf.matmul(x, x, name="product")
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
        for target in both_targets():
            metadata = tf.RunMetadata()
            self.assertFalse(metadata.HasField("step_stats"))
            with tf.Session(target) as session:
                session.run(product, options=options, run_metadata=metadata)
            (device,) = metadata.step_stats.dev_stats
            self.assertRegex(device.device, "task:0/device:CPU:0")
            nodes = {node.node_name: node for node in device.node_stats}
            self.assertEqual(nodes["product"].op, "MatMul")
            self.assertGreaterEqual(nodes["product"].all_end_rel_micros, 0)
            self.assertIn("product", [node.name for node in metadata.partition_graphs[0].node])
            trace = Timeline(metadata.step_stats).generate_chrome_trace_format()
            self.assertIn('"name":"product"', trace)

    def test_many_threads_may_run_steps_of_one_session(self):
        x = tf.placeholder(tf.float32, [])
        y = x * 2.0
        v = tf.Variable(0.0)
        bump = v.assign_add(1.0).op
        for target in both_targets():
            with tf.Session(target) as session:
                session.run(v.initializer)
                wrong = []

                def work(number):
                    for _ in range(20):
                        if session.run([y, bump], {x: number})[0] != 2 * number:
                            wrong.append(number)

                threads = [threading.Thread(target=work, args=(n,)) for n in range(64)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                self.assertEqual(wrong, [])
                self.assertEqual(session.run(v), 64 * 20)

    def test_sessions_and_servers_end_before_the_threads_that_made_them(self):
        go, made = threading.Event(), queue.Queue()
        total = tf.constant(1.0) + 2.0

        def work():
            server = tf.train.Server.create_local_server()
            for target in ("", server.target):
                session = tf.Session(target, graph=total.graph)
                session.run(total)
                made.put(session)
            made.put(server)
            go.wait()

        threading.Thread(target=work, daemon=True).start()
        for _ in range(2):
            made.get(timeout=60).close()
        made.get(timeout=60).stop(1)
        go.set()

    def test_other_threads_run_while_a_step_waits(self):
        a = tf.placeholder(tf.float32, [])
        server = tf.train.Server.create_local_server()
        with tf.Session(server.target) as session:
            size = 1200
            slow = tf.ones([size, size])
            for _ in range(20):
                slow = tf.matmul(slow, tf.ones([size, size])) / size
            thread = threading.Thread(target=lambda: session.run(slow.op))
            thread.start()
            counted = 0
            while thread.is_alive():
                counted += 1
                time.sleep(0.001)
            self.assertGreater(counted, 10)
            self.assertEqual(session.run(a, {a: 1}), 1)
        server.stop()


class SessionErrorsTest(tf.test.TestCase):
    def test_an_error_has_the_class_node_op_device_and_line_of_the_program(self):
        x = tf.placeholder(tf.float32, [None, None])
        y = tf.matmul(x, x, name="product")
        for target in both_targets():
            with tf.Session(target) as session:
                with self.assertRaises(tf.errors.InvalidArgumentError) as caught:
                    session.run(y, {x: np.ones((2, 3))})
            error = caught.exception
            self.assertEqual([error.node, error.node_op], ["product", "MatMul"])
            self.assertRegex(error.device, "/job:local(host)?/task:0/device:CPU:0")
            self.assertIs(error.op, y.op)
            self.assertEqual(error.error_code, tf.errors.INVALID_ARGUMENT)
            self.assertIn("session_test.py", str(error))

    def test_a_session_on_a_target_without_a_server_is_unavailable(self):
        config = tf.ConfigProto(connect_timeout_in_ms=200)
        with tf.Session("troupe://localhost:1", config=config) as session:
            with self.assertRaises(tf.errors.UnavailableError):
                session.run(tf.constant(1))

    def test_a_closed_session_runs_no_steps(self):
        session = tf.Session()
        session.run(tf.constant(1))
        session.close()
        session.close()
        with self.assertRaisesRegex(RuntimeError, "closed"):
            session.run(tf.constant(1))

    def test_wrong_arguments_are_errors_of_the_constructor(self):
        with self.assertRaisesRegex(TypeError, "config=config"):
            tf.Session(tf.ConfigProto())
        with self.assertRaises(TypeError):
            tf.Session("", tf.ConfigProto())

    def test_errors_survive_pickling(self):
        error = from_status(14, "away", "n", "Op", "d", "t", [])
        pickled = pickle.dumps(error)
        self.assertNotIn(b"_src", pickled)
        copy = pickle.loads(pickled)
        self.assertIsInstance(copy, tf.errors.UnavailableError)
        self.assertEqual([copy.message, copy.node, copy.task], ["away", "n", "t"])


class DefaultsTest(tf.test.TestCase):
    def test_eval_and_run_use_the_default_session(self):
        x, v = tf.constant(2.0), tf.Variable(1.0)
        with self.assertRaisesRegex(ValueError, "no default session"):
            x.eval()
        with tf.Session():
            v.initializer.run()
            self.assertEqual(x.eval(), 2)
        session = tf.Session()
        with session.as_default():
            self.assertEqual(x.eval(), 2)
        self.assertEqual(session.run(x), 2)

    def test_a_session_enters_its_graph(self):
        graph = tf.Graph()
        with tf.Session(graph=graph):
            self.assertIs(tf.get_default_graph(), graph)
        self.assertIsNot(tf.get_default_graph(), graph)

    def test_an_interactive_session_is_the_default_until_it_is_closed(self):
        session = tf.InteractiveSession()
        self.assertEqual(tf.constant(1).eval(), 1)
        session.close()
        self.assertIsNone(tf.get_default_session())

    def test_a_session_has_a_representation_for_notebooks(self):
        with tf.Session() as session:
            self.assertIn("this process", session._repr_html_())

    def test_devices_are_listed(self):
        for target in both_targets():
            with tf.Session(target) as session:
                (device,) = session.list_devices()
                self.assertEqual(device.device_type, "CPU")
                self.assertRegex(device.name, "/job:local(host)?/task:0/device:CPU:0")

    def test_a_session_in_this_process_has_as_many_cpus_as_are_counted(self):
        with tf.device("/cpu:0"):
            x = tf.Variable([1.0, 2.0])
        with tf.device("/cpu:1"):
            total = tf.reduce_sum(tf.Variable([3.0, 4.0]) * x)
        with tf.device("/cpu:2"):
            missing = tf.identity(total)
        config = tf.ConfigProto(device_count={"CPU": 2})
        with tf.Session(config=config) as session:
            names = [device.name.rpartition("device:")[2] for device in session.list_devices()]
            self.assertEqual([name for name in names if "CPU" in name], ["CPU:0", "CPU:1"])
            session.run(tf.global_variables_initializer())
            metadata = tf.RunMetadata()
            options = tf.RunOptions(output_partition_graphs=True)
            self.assertEqual(session.run(total, options=options, run_metadata=metadata), 11.0)
            self.assertEqual(len(metadata.partition_graphs), 2)
            with self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(missing)
        with tf.Session() as session, self.assertRaises(tf.errors.InvalidArgumentError):
            session.run(total)


if __name__ == "__main__":
    unittest.main()
