"""Small modules of contributed code: copies of graphs, slices, records, summaries."""

import os
import tempfile
import unittest

import numpy as np

import troupe as tf
from troupe.contrib import (
    copy_graph, deprecated, framework, input_pipeline, learn, periodic_resample, receptive_field,
    slim, testing, training,
)  # fmt: skip
from troupe.contrib.reduce_slice_ops.python.ops import reduce_slice_ops


def run(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


class SmallModulesTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_an_axis_moves_to_others(self):
        resample = periodic_resample.periodic_resample
        values = np.arange(12.0).reshape(3, 4)
        np.testing.assert_array_equal(
            run(resample(values, [6, None])), np.arange(12.0).reshape(6, 2)
        )
        values = np.arange(16).reshape(2, 2, 4)
        found = resample(values, [4, 4, None])
        self.assertEqual([4, 4, 1], found.shape.as_list())
        want = [[0, 2, 4, 6], [1, 3, 5, 7], [8, 10, 12, 14], [9, 11, 13, 15]]
        np.testing.assert_array_equal(run(found)[..., 0], want)
        for shape in ([6, 2], [None, None], [2, None]):
            with self.assertRaises(ValueError):
                resample(np.zeros([3, 4]), shape)

    def test_slices_are_reduced(self):
        data = np.float32([[1, 2], [3, 4], [5, 6]])
        found = run(
            [
                getattr(reduce_slice_ops, f"reduce_slice_{kind}")(data, [[0, 2], [1, 1], [1, 9]], 0)
                for kind in ("sum", "prod", "max", "min")
            ]
        )
        empty = [0, 1, -np.inf, np.inf]
        for result, reduce, value in zip(found, (np.sum, np.prod, np.max, np.min), empty):
            want = [reduce(data[:2], 0), [value, value], reduce(data[1:], 0)]
            np.testing.assert_array_equal(result, want)
        following = reduce_slice_ops.reduce_slice_sum(data, [0, 1, 3], 0)
        np.testing.assert_array_equal(run(following), [[1, 2], [8, 10]])

    def test_operations_are_copied_with_their_inputs(self):
        variable = tf.Variable([3.0, 4.0], name="v")
        total = tf.add(tf.constant([1.0, 2.0], name="a") * variable, 1.0, name="total")
        tf.add_to_collection("mine", total)
        graph = tf.Graph()
        copied = copy_graph.copy_variable_to_graph(variable, graph, "other")
        result = copy_graph.copy_op_to_graph(total, graph, [copied], "other")
        self.assertEqual("other/total:0", result.name)
        self.assertEqual([result], graph.get_collection("other/mine"))
        self.assertEqual(result, copy_graph.get_copied_op(total, graph, "other"))
        with tf.Session(graph=graph) as session:
            session.run(copied.initializer)
            np.testing.assert_array_equal([4, 9], session.run(result))
        with self.assertRaises(TypeError):
            copy_graph.copy_op_to_graph(3, graph, [])

    def test_receptive_fields_follow_windows(self):
        images = tf.placeholder(tf.float32, [1, 64, 48, 3], name="images")
        layer = slim.conv2d(images, 4, [5, 3], stride=2)
        layer = slim.max_pool2d(layer, [3, 2], stride=2, padding="SAME")
        layer = slim.avg_pool2d(layer, 2)
        features = tf.identity(slim.conv2d(layer, 2, 3), name="features")
        field = receptive_field.compute_receptive_field_from_graph_def(
            tf.get_default_graph(), images, features, input_resolution=[64, 48]
        )
        self.assertEqual([25, 29, 8, 8, 8, 9], list(field))
        centers = field.compute_input_center_coordinates([[0, 0]])
        np.testing.assert_array_equal([[4.0, 5.0]], centers)
        with self.assertRaisesRegex(ValueError, "Output node was not found"):
            receptive_field.compute_receptive_field_from_graph_def(
                tf.get_default_graph(), "images", "nothing"
            )

    def test_the_place_in_a_list_is_a_variable(self):
        place = tf.Variable(-1, dtype=tf.int64)
        text = input_pipeline.obtain_next(["a", "b"], place)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual([b"a", b"b", b"a"], [session.run(text) for _ in range(3)])
            self.assertEqual(0, session.run(place))

    def test_tags_of_old_summaries_are_given(self):
        deprecated.scalar_summary(["x", "y"], [1.0, 2.0])
        deprecated.histogram_summary("h", [1.0, 2.0])
        merged = testing.to_summary_proto(run(deprecated.merge_all_summaries()))
        testing.assert_summary(["x", "y", "h"], {"x": 1.0, "y": 2.0}, merged)
        with self.assertRaises(ValueError):
            testing.assert_summary(["z"], {}, merged)

    def test_records_come_in_batches(self):
        folder = tempfile.mkdtemp()
        for number in range(3):
            with tf.python_io.TFRecordWriter(os.path.join(folder, f"{number}.rec")) as writer:
                for record in range(4):
                    writer.write(f"{number}-{record}".encode())
        files = f"{folder}/*.rec"
        batch = framework.RecordInput(files, batch_size=4, buffer_size=12).get_yield_op()
        several = framework.RecordInput(files, batch_size=2, batches=3).get_yield_op()
        with tf.Session() as session:
            found = {text for _ in range(12) for text in session.run(batch)}
            self.assertEqual([2, 2, 2], [len(each) for each in session.run(several)])
        self.assertLessEqual(len(found), 12)
        self.assertGreater(len(found), 8)

    def test_enqueues_are_fed(self):
        queue = tf.FIFOQueue(10, [tf.int32], [[]])
        fed = tf.placeholder(tf.int32)
        numbers = iter(range(3))

        def feed():
            try:
                return {fed: next(numbers)}
            except StopIteration:
                raise tf.errors.OutOfRangeError(None, None, "done") from None

        runner = training.FeedingQueueRunner(queue, [queue.enqueue(fed)], feed_fns=[feed])
        element = queue.dequeue()
        found = []
        with tf.Session() as session:
            coordinator = tf.train.Coordinator()
            threads = runner.create_threads(session, coordinator, start=True)
            with self.assertRaises(tf.errors.OutOfRangeError):
                while True:
                    found.append(int(session.run(element)))
            coordinator.request_stop()
            coordinator.join(threads)
        self.assertEqual([0, 1, 2], found)

    def test_estimators_have_parameters(self):
        estimator = learn.Estimator(lambda features, labels, params: None, params={"rate": 1})
        estimator.set_params(params={"rate": 2})
        self.assertEqual({"rate": 2}, estimator.get_params()["params"])
        with self.assertRaisesRegex(ValueError, "Invalid parameter nothing"):
            estimator.set_params(nothing=1)


if __name__ == "__main__":
    unittest.main()
