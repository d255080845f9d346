"""tf.TensorArray: elements, shapes, flows, gradients and devices."""

import unittest

import numpy as np

import troupe as tf


class TensorArrayTest(tf.test.TestCase):
    def run_step(self, fetches, feed_dict=None):
        with tf.Session() as session:
            return session.run(fetches, feed_dict)

    def assert_step_fails(self, fetches, error, text):
        with self.assertRaisesRegex(error, text):
            self.run_step(fetches)

    def test_what_is_written_is_read_and_stacked(self):
        array = tf.TensorArray(tf.float32, size=3, clear_after_read=False)
        array = array.write(0, [1, 2]).write(2, [5.0, 6.0]).write(tf.constant(1), [3, 4])
        self.assertEqual(array.element_shape, [2])
        read, stacked, picked = array.read(1), array.stack(), array.gather([2, 2])
        self.assertEqual([read.shape.as_list(), stacked.shape.as_list()], [[2], [None, 2]])
        values = self.run_step([read, stacked, picked, array.size()])
        self.assertAllEqual(values[0], [3, 4])
        self.assertAllEqual(values[1], [[1, 2], [3, 4], [5, 6]])
        self.assertAllEqual(values[2], [[5, 6], [5, 6]])
        self.assertEqual(values[3], 3)

    def test_rows_are_unstacked_and_scattered(self):
        rows = np.arange(6, dtype=np.float32).reshape(3, 2)
        unstacked = tf.TensorArray(tf.float32, 3).unstack(rows)
        scattered = tf.TensorArray(tf.float32, 3).scatter([2, 0, 1], rows)
        values = self.run_step([unstacked.stack(), scattered.stack()])
        self.assertAllEqual(values[0], rows)
        self.assertAllEqual(values[1], rows[[1, 2, 0]])

    def test_parts_of_any_length_are_split_and_concatenated(self):
        rows = tf.constant([[1, 2], [3, 4], [5, 6]])
        array = tf.TensorArray(tf.int32, 3, infer_shape=False, clear_after_read=False)
        array = array.split(rows, [2, 0, 1])
        values = self.run_step([array.read(0), array.concat()])
        self.assertAllEqual(values[0], [[1, 2], [3, 4]])
        equal = tf.TensorArray(tf.int32, 3).split(rows, [1, 1, 1])
        self.assertEqual(equal.element_shape.as_list(), [1, 2])
        self.assertAllEqual(values[1], [[1, 2], [3, 4], [5, 6]])

    def test_a_concatenation_has_the_rows_that_are_known(self):
        array = tf.TensorArray(tf.float32, 2, element_shape=[None, 3], infer_shape=False)
        array = array.write(0, tf.zeros([2, 3])).write(1, tf.ones([1, 3]))
        joined = array.concat()
        self.assertEqual(joined.shape.as_list(), [None, 3])
        self.assertAllEqual(self.run_step(joined), [[0] * 3, [0] * 3, [1] * 3])

    def test_strings_are_elements(self):
        array = tf.TensorArray(tf.string, 2).write(0, "a").write(1, b"b\0c")
        self.assertAllEqual(self.run_step(array.stack()), [b"a", b"b\0c"])

    def test_an_array_grows_where_it_may(self):
        array = tf.TensorArray(tf.float32, 0, dynamic_size=True).write(2, 5.0)
        self.assertTrue(array.dynamic_size)
        self.assertEqual(self.run_step([array.size(), array.read(2)]), [3, 5])
        fixed = tf.TensorArray(tf.float32, 1, tensor_array_name="few").write(2, 5.0)
        self.assert_step_fails(
            fixed.flow, tf.errors.InvalidArgumentError, "index 2 of TensorArray few .* size is 1"
        )

    def test_an_element_is_written_once_and_by_default_read_once(self):
        array = tf.TensorArray(tf.float32, 1, name="once").write(0, 5.0)
        twice = array.write(0, 6.0)
        self.assert_step_fails(twice.flow, tf.errors.InvalidArgumentError, "has been written")
        first = array.read(0)
        with tf.control_dependencies([first]):
            again = array.identity().read(0)
        self.assert_step_fails(again, tf.errors.InvalidArgumentError, "TensorArray once .* twice")

    def test_elements_have_one_shape_unless_it_is_not_inferred(self):
        array = tf.TensorArray(tf.float32, 2).write(0, [1.0])
        with self.assertRaisesRegex(ValueError, r"not one: \(2,\) and \(1,\)"):
            array.write(1, [1.0, 2.0])
        free = tf.TensorArray(tf.float32, 2, infer_shape=False).write(0, [1.0]).write(1, 2.0)
        self.assertAllEqual(self.run_step(free.read(0)), [1])
        x = tf.placeholder(tf.float32)
        late = tf.TensorArray(tf.float32, 2).write(0, [1.0]).write(1, x)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "shape of the value is"):
            self.run_step(late.flow, {x: 1.0})

    def test_what_was_not_written_is_zeros_of_a_known_shape(self):
        array = tf.TensorArray(tf.float32, 2).write(0, [1.0, 2.0])
        self.assertAllEqual(self.run_step(array.stack()), [[1, 2], [0, 0]])
        unknown = tf.TensorArray(tf.float32, 2)
        self.assert_step_fails(unknown.read(1), tf.errors.InvalidArgumentError, "not been written")

    def test_no_elements_have_the_shape_that_was_given(self):
        array = tf.TensorArray(tf.float32, 0, element_shape=[3])
        self.assertEqual(self.run_step(array.stack()).shape, (0, 3))
        unknown = tf.TensorArray(tf.float32, 0)
        self.assert_step_fails(unknown.stack(), tf.errors.UnimplementedError, "shape is known")

    def test_another_dtype_fails_the_step(self):
        with self.assertLogs("troupe", "ERROR"):
            array = tf.TensorArray(tf.float32, 1).write(0, "text")
        self.assert_step_fails(array.flow, tf.errors.InvalidArgumentError, "not string")

    def test_arguments_that_exclude_each_other_are_refused(self):
        array = tf.TensorArray(tf.float32, 1)
        same = tf.TensorArray(tf.float32, handle=array.handle, flow=array.flow)
        self.assertEqual(self.run_step(same.write(0, 1.0).read(0)), 1)
        options = {
            "size": 1, "element_shape": [], "dynamic_size": True, "clear_after_read": False,
            "tensor_array_name": "x",
        }  # fmt: skip
        for name, value in options.items():
            with self.assertRaisesRegex(ValueError, f"a handle or {name}, not both"):
                tf.TensorArray(tf.float32, handle=array.handle, flow=array.flow, **{name: value})
        with self.assertRaisesRegex(ValueError, "needs its flow"):
            tf.TensorArray(tf.float32, handle=array.handle)
        with self.assertRaisesRegex(ValueError, "needs a size"):
            tf.TensorArray(tf.float32)
        with self.assertRaisesRegex(TypeError, "must be a Tensor"):
            tf.TensorArray(tf.float32, handle="x", flow=array.flow)

    def test_a_closed_array_is_used_no_more(self):
        array = tf.TensorArray(tf.float32, 1).write(0, 1.0)
        with tf.control_dependencies([array.flow]):
            close = array.close()
        with tf.control_dependencies([close]):
            read = array.identity().read(0)
        self.assert_step_fails(read, tf.errors.InvalidArgumentError, "is closed")

    def test_names_are_in_scopes(self):
        array = tf.TensorArray(tf.float32, 1, name="mine").write(0, 1.0)
        self.assertEqual(array.handle.op.name, "mine")
        self.assertEqual(array.flow.op.name, "TensorArrayWrite/TensorArrayWriteV3")
        self.assertTrue(array.stack().op.name.startswith("TensorArrayStack/TensorArrayGather"))

    def test_an_array_is_where_the_first_value_is_that_is_written(self):
        with tf.device("/job:worker/task:1"):
            value = tf.constant([1.0])
            array = tf.TensorArray(tf.float32, 1)
            fixed = tf.TensorArray(tf.float32, 1, colocate_with_first_write_call=False)
        self.assertEqual(array.handle.device, "")
        self.assertEqual(fixed.handle.device, "/job:worker/task:1")
        with tf.device("/job:ps"):
            written, read = array.write(0, value), array.write(0, value).read(0)
        self.assertEqual(written.flow.device, "/job:worker/task:1")
        self.assertEqual(read.device, "")

    def test_tasks_use_the_array_of_another_one(self):
        workers, _ = tf.test.create_local_cluster(2, 0)
        with tf.device("/job:worker/task:1"):
            rows = tf.placeholder(tf.float32, [2, 2])
            doubled = rows * 2.0
        with tf.device("/job:worker/task:0"):
            stacked = tf.TensorArray(tf.float32, 2).unstack(doubled).stack() + 1.0
        (gradient,) = tf.gradients(stacked, [rows])
        with tf.Session(workers[0].target) as session:
            values = session.run([stacked, gradient], {rows: [[1, 2], [3, 4]]})
        self.assertAllEqual(values[0], [[3, 5], [7, 9]])
        self.assertAllEqual(values[1], [[2, 2], [2, 2]])


class GradientsTest(tf.test.TestCase):
    def gradients_of(self, y, xs):
        with tf.Session() as session:
            return session.run(tf.gradients(y, xs))

    def test_gradients_pass_through_writes_and_reads(self):
        x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
        array = tf.TensorArray(tf.float32, 2, clear_after_read=False).write(0, x).write(1, y * y)
        total = array.read(0) * array.read(1) + array.read(1)
        dx, dy = self.gradients_of(total, [x, y])
        self.assertAllClose(dx, [9, 16])
        self.assertAllClose(dy, [2 * 3 * 2, 2 * 4 * 3])

    def test_gradients_pass_through_rows_and_parts(self):
        rows = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        weights = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        stacked = tf.TensorArray(tf.float32, 3).unstack(rows).stack() * weights
        (dx,) = self.gradients_of(stacked, [rows])
        self.assertAllClose(dx, [[1, 2], [3, 4], [5, 6]])
        parts = tf.TensorArray(tf.float32, 2, infer_shape=False).split(rows, [1, 2])
        (dx,) = self.gradients_of(parts.concat() * weights, [rows])
        self.assertAllClose(dx, [[1, 2], [3, 4], [5, 6]])

    def test_a_gradient_array_sums_and_is_found_by_its_source(self):
        array = tf.TensorArray(tf.float32, 2, element_shape=[]).write(0, 1.0)
        first = array.grad("mine").write(0, 2.0)
        second = array.grad("mine", flow=first.flow).write(0, 3.0)
        other = array.grad("other")
        with tf.Session() as session:
            self.assertAllEqual(session.run(second.stack()), [5, 0])
            self.assertAllEqual(session.run(other.stack()), [0, 0])

    def test_a_variable_is_trained_through_an_array(self):
        v = tf.Variable([1.0, 2.0])
        array = tf.TensorArray(tf.float32, 2).unstack(v)
        loss = tf.reduce_sum(tf.square(array.stack()))
        step = tf.train.GradientDescentOptimizer(0.25).minimize(loss)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(2):
                session.run(step)
            self.assertAllClose(session.run(v), [0.25, 0.5])


if __name__ == "__main__":
    unittest.main()
