"""tf.while_loop and what is made of it: values, structures, gradients, devices."""

import unittest

import numpy as np

import troupe as tf


class LoopsTest(tf.test.TestCase):
    def run_step(self, fetches, feed_dict=None):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches, feed_dict)

    def test_a_loop_of_one_variable_gives_a_tensor(self):
        n = tf.while_loop(lambda n: n < 100, lambda n: n * 2, [tf.constant(1)])
        self.assertIsInstance(n, tf.Tensor)
        self.assertEqual(self.run_step(n), 128)
        kept = tf.while_loop(lambda n: n < 9, lambda n: n + 1, [0], return_same_structure=True)
        self.assertEqual(self.run_step(kept), [9])

    def test_variables_keep_their_structure(self):
        start = {"i": tf.constant(0), "pair": (tf.constant(1.0), [tf.constant([1.0, 2.0])])}

        def body(v):
            a, (b,) = v["pair"]
            return {"i": v["i"] + 1, "pair": (a * 2, [b + a])}

        (result,) = tf.while_loop(lambda v: v["i"] < 3, body, [start])
        values = self.run_step(result)
        self.assertEqual(values["pair"][0], 8)
        self.assertAllEqual(values["pair"][1][0], [8, 9])

    def test_one_tensor_is_returned_alone_and_one_variable_of_several_is_not(self):
        def loop(*start):
            return tf.while_loop(lambda *_: tf.constant(False), lambda *v: list(v), list(start))

        sparse = tf.SparseTensor([[0, 0]], [1.0], [2, 2])
        self.assertEqual(loop(tf.constant(1), []).shape, [])
        self.assertEqual(list(loop({"a": tf.constant(1)})), ["a"])
        self.assertEqual([type(each) for each in loop(sparse)], [tf.SparseTensor])

    def test_variables_of_the_cluster_are_read_and_changed_in_each_iteration(self):
        v = tf.get_variable("v", initializer=1.0)

        def body(i):
            with tf.control_dependencies([v.assign(v * 3.0)]):
                return i + 1

        loop = tf.while_loop(lambda i: i < 4, body, [0], parallel_iterations=1)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(loop), 4)
            self.assertEqual(session.run(v), 81)

    def test_a_loop_stops_after_its_maximum_of_iterations(self):
        loop = tf.while_loop(
            lambda i, x: tf.constant(True), lambda i, x: (i + 1, x * 2), [0, 1],
            maximum_iterations=tf.constant(5),
        )  # fmt: skip
        self.assertEqual(self.run_step(loop), [5, 32])

    def test_a_specification_of_a_tensor_is_an_invariant(self):
        specs = [tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.int32)]
        values = tf.while_loop(
            lambda i, _: i < 3, lambda i, x: (i + 1, tf.concat([x, x], 0)), [0, tf.constant([1])],
            specs,
        )  # fmt: skip
        with tf.Session() as session:
            self.assertEqual(session.run(values)[1].shape, (8,))

    def test_shapes_that_change_need_an_invariant(self):
        start = tf.constant([1])
        grow = lambda x: tf.concat([x, x], 0)  # noqa: E731
        with self.assertRaisesRegex(ValueError, "is not an invariant for the loop"):
            tf.while_loop(lambda x: tf.size(x) < 9, grow, [start])
        grown = tf.while_loop(
            lambda x: tf.size(x) < 9, grow, [start], shape_invariants=[tf.TensorShape([None])]
        )
        self.assertEqual(grown.shape.as_list(), [None])
        self.assertEqual(len(self.run_step(grown)), 16)

    def test_what_is_filled_in_a_loop_has_the_sizes_that_are_known_outside(self):
        rows = tf.placeholder(tf.int32, [None, 5])
        size = tf.stack([tf.shape(rows)[1]])
        start = tf.cast(tf.fill([1, tf.shape(rows)[1]], 0), tf.bool)
        places = tf.expand_dims(tf.range(tf.shape(rows)[1]), 0)
        mask = lambda _, length: places < tf.fill(size, length)  # noqa: E731
        masks = tf.scan(mask, tf.constant([2, 4]), initializer=start)
        self.assertEqual(masks.shape.as_list(), [2, 1, 5])
        zeros = lambda i, _: (i + 1, tf.zeros(size) + tf.ones(size))  # noqa: E731
        _, ones = tf.while_loop(lambda i, _: i < 2, zeros, [0, tf.zeros([5])])
        self.assertEqual(ones.shape, [5])
        with tf.Session() as session:
            found = session.run([masks, ones], {rows: [[0] * 5]})
        self.assertEqual(found[0][:, 0].sum(1).tolist(), [2, 4])
        self.assertEqual(found[1].tolist(), [1] * 5)

    def test_sizes_of_outside_are_known_in_loops_branches_and_gradients(self):
        rows = tf.placeholder(tf.float32, [None, 6])
        size = tf.shape(rows)[1]
        half = size // 2
        shapes = []

        def body(i, x):
            tiled = tf.tile(x[:, :half], [1, 2])
            noise = tf.random_uniform([size, half])
            again = tf.reshape(tiled @ noise, [-1, half]) @ tf.transpose(noise)
            shapes.extend(each.shape.as_list() for each in (tiled, noise, again))
            return i + 1, tf.cond(i > 0, lambda: again, lambda: tf.reshape(x, [-1, size]) * 2)

        _, found = tf.while_loop(lambda i, _: i < 2, body, [0, rows])
        self.assertEqual(shapes, [[None, 6], [6, 3], [None, 6]])
        (gradient,) = tf.gradients(found, rows)
        self.assertEqual(gradient.shape.as_list(), [None, 6])
        with tf.Session() as session:
            values = session.run(gradient, {rows: np.ones([2, 6], np.float32)})
        self.assertGreater(values[0, 0], 0)
        self.assertEqual(values[:, 3:].tolist(), np.zeros([2, 3]).tolist())

    def test_wrong_arguments_and_bodies_are_refused(self):
        with self.assertRaisesRegex(ValueError, "No loop variables"):
            tf.while_loop(lambda: True, lambda: None, [])
        with self.assertRaisesRegex(TypeError, "cond must be callable"):
            tf.while_loop(True, lambda i: i, [0])
        with self.assertRaisesRegex(TypeError, "positive integer"):
            tf.while_loop(lambda i: i < 1, lambda i: i, [0], parallel_iterations=0)
        with self.assertRaisesRegex(ValueError, "as many elements"):
            tf.while_loop(lambda i, j: i < 1, lambda i, j: [i], [0, 0])
        with self.assertRaisesRegex(TypeError, "float32"):
            tf.while_loop(lambda i: i < 1, lambda i: tf.constant(1.0), [0])

    def test_the_graph_goes_on_after_a_body_that_raised(self):
        def body(i):
            raise KeyError("of the program")

        with self.assertRaises(KeyError):
            tf.while_loop(lambda i: i < 1, body, [0])
        self.assertEqual(self.run_step(tf.constant(1) + 1), 2)

    def test_a_loop_begins_after_what_it_depends_on(self):
        v = tf.get_variable("limit", initializer=0.0)
        changed, start = v.assign(5.0), tf.constant(0.0)
        with tf.control_dependencies([changed]):
            loop = tf.while_loop(lambda i: i < v.read_value(), lambda i: i + 1.0, [start])
        operations = tf.get_default_graph().get_operations()
        entered = [op for op in operations if op.type == "Enter" and not op.get_attr("is_constant")]
        self.assertIn(changed.op, entered[0].inputs[0].op.control_inputs)
        self.assertEqual(self.run_step(loop), 5)

    def test_gradients_go_through_all_iterations(self):
        x = tf.placeholder(tf.float64, [2])
        w = tf.get_variable("w", initializer=np.array([[0.5, 0.1], [0.2, 0.3]]))

        def body(i, h):
            return i + 1, tf.tanh(tf.linalg.matvec(w, h) + x)

        _, h = tf.while_loop(lambda i, h: i < 5, body, [0, x])
        loss = tf.reduce_sum(h * h)
        dx, dw = tf.gradients(loss, [x, w])
        given = np.array([0.3, -0.7])

        def value(x_value, w_value):
            h_value = x_value
            for _ in range(5):
                h_value = np.tanh(w_value @ h_value + x_value)
            return np.sum(h_value * h_value)

        w_value = np.array([[0.5, 0.1], [0.2, 0.3]])
        computed_dx, computed_dw = self.run_step([dx, dw], {x: given})
        for i in range(2):
            step = np.eye(2)[i] * 1e-6
            expected = (value(given + step, w_value) - value(given - step, w_value)) / 2e-6
            self.assertAlmostEqual(computed_dx[i], expected, places=6)
            for j in range(2):
                change = np.zeros([2, 2])
                change[i, j] = 1e-6
                expected = (value(given, w_value + change) - value(given, w_value - change)) / 2e-6
                self.assertAlmostEqual(computed_dw[i, j], expected, places=6)

    def test_gradients_can_be_taken_inside_of_a_loop_of_what_is_outside(self):
        x = tf.placeholder(tf.float32, [])

        def body(i, total):
            (slope,) = tf.gradients(x * x * x, [x])
            return i + 1, total + slope

        _, total = tf.while_loop(lambda i, total: i < 3, body, [0, 0.0])
        self.assertEqual(self.run_step(total, {x: 2}), 36)

    def test_no_gradient_goes_through_a_loop_without_back_prop(self):
        x = tf.constant(3.0)
        y = tf.while_loop(lambda v: v < 100, tf.square, [x], back_prop=False)
        self.assertEqual(self.run_step(tf.gradients(x + y, [x])), [1])

    def test_second_derivatives_of_loops_are_an_error(self):
        x = tf.constant(3.0)
        y = tf.while_loop(lambda v: v < 100, tf.square, [x])
        (dx,) = tf.gradients(y, [x])
        with self.assertRaisesRegex(TypeError, "Second-order gradient for while loops not supp"):
            tf.gradients(dx, [x])

    def test_a_loop_of_integers_has_no_gradient(self):
        x = tf.constant(3)
        y = tf.while_loop(lambda v: v < 100, lambda v: v * 2, [x])
        self.assertEqual(tf.gradients(y, [x]), [None])

    def test_arrays_carry_values_of_iterations_and_their_gradients(self):
        x = tf.placeholder(tf.float32, [4])

        def body(i, total, array):
            total = total * x[i]
            return i + 1, total, array.write(i, total)

        array = tf.TensorArray(tf.float32, size=4)
        _, _, array = tf.while_loop(lambda i, *_: i < 4, body, [0, 1.0, array])
        products = array.stack()
        (dx,) = tf.gradients(products, [x])
        values, gradient = self.run_step([products, dx], {x: [1, 2, 3, 4]})
        self.assertAllClose(values, [1, 2, 6, 24])
        self.assertAllClose(gradient, [33, 16, 10, 6])

    def test_a_function_is_mapped_over_elements(self):
        x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        y = tf.map_fn(lambda row: tf.reduce_sum(row) * row, x)
        self.assertEqual(y.shape.as_list(), [3, 2])
        kinds = tf.map_fn(
            lambda pair: (pair[0] > pair[1], pair[0] + pair[1]), (x[:, 0], x[:, 1]),
            dtype=(tf.bool, tf.float32),
        )  # fmt: skip
        (dx,) = tf.gradients(y, [x])
        values = self.run_step([y, kinds, dx])
        self.assertAllClose(values[0], [[3, 6], [21, 28], [55, 66]])
        self.assertAllEqual(values[1][0], [False, False, False])
        self.assertAllClose(values[1][1], [3, 7, 11])
        self.assertAllClose(values[2], [[6, 6], [14, 14], [22, 22]])
        with self.assertRaisesRegex(ValueError, "1\\+ dimensional"):
            tf.map_fn(lambda v: v, tf.constant(1))

    def test_the_dtype_of_mapped_elements_may_be_a_type_of_numpy(self):
        y = tf.map_fn(lambda v: tf.cast(v, tf.float64) / 2, tf.constant([1, 2]), dtype=np.float64)
        self.assertIs(y.dtype, tf.float64)
        self.assertAllClose(self.run_step(y), [0.5, 1.0])

    def test_folds_and_scans(self):
        x = tf.constant([1, 2, 3, 4])
        folds = [
            tf.foldl(lambda a, v: a * 10 + v, x),
            tf.foldr(lambda a, v: a * 10 + v, x),
            tf.foldl(lambda a, v: a + v, x, initializer=100),
            tf.scan(lambda a, v: a + v, x),
            tf.scan(lambda a, v: a + v, x, reverse=True),
            tf.scan(lambda a, v: (a[0] + v, a[1] * v), x, initializer=(0, 1)),
        ]
        values = self.run_step(folds)
        self.assertEqual(values[:3], [1234, 4321, 110])
        self.assertAllEqual(values[3], [1, 3, 6, 10])
        self.assertAllEqual(values[4], [10, 9, 7, 4])
        self.assertAllEqual(values[5], [[1, 3, 6, 10], [1, 2, 6, 24]])

    def test_the_invariant_of_a_sparse_tensor_is_the_shape_of_its_dense_shape(self):
        start = tf.SparseTensor([[0, 1], [2, 0]], [2.0, 4.0], [3, 4])

        def doubled(i, x):
            return i + 1, tf.SparseTensor(x.indices, x.values * 2, x.dense_shape)

        def deeper(i, x):
            indices = tf.concat([x.indices, [[0], [0]]], 1)
            return i + 1, tf.SparseTensor(indices, x.values, tf.concat([x.dense_shape, [1]], 0))

        def loop(body, *invariant):
            shapes = [tf.TensorShape([]), *invariant] if invariant else None
            return tf.while_loop(lambda i, _: i < 3, body, [0, start], shapes)[1]

        kept, ranked = loop(doubled), loop(doubled, tf.TensorShape([2]))
        for x in (kept, ranked):
            self.assertEqual(x.indices.shape.as_list(), [None, 2])
            self.assertEqual(x.values.shape.as_list(), [None])
            self.assertEqual(x.dense_shape.shape.as_list(), [2])
        grown = loop(deeper, tf.TensorShape([None]))
        self.assertEqual(grown.indices.shape.as_list(), [None, None])
        values = self.run_step([kept, ranked, grown])
        self.assertAllEqual(values[0].values, [16, 32])
        self.assertAllEqual(values[1].indices, [[0, 1], [2, 0]])
        self.assertAllEqual(values[2].indices, [[0, 1, 0, 0, 0], [2, 0, 0, 0, 0]])
        self.assertAllEqual(values[2].dense_shape, [3, 4, 1, 1, 1])
        with self.assertRaisesRegex(ValueError, "is not compatible with"):
            loop(doubled, tf.TensorShape([5]))
        with self.assertRaisesRegex(ValueError, r"must be \[rank\]"):
            loop(doubled, tf.TensorShape([3, 4]))

    def test_the_condition_of_a_loop_may_need_another_device(self):
        cluster = tf.test.create_local_cluster(num_workers=2, num_ps=1)
        with tf.device("/job:ps/task:0"):
            w = tf.get_variable("w", initializer=2.0)

        def body(i, x):
            with tf.device("/job:worker/task:1"):
                y = x * w
            with tf.device("/job:worker/task:0"):
                return i + 1, y + 1.0

        with tf.device("/job:worker/task:0"):
            _, x = tf.while_loop(lambda i, x: i < 6, body, [0, 1.0])
        (dw,) = tf.gradients(x, [w])
        workers, _ = cluster
        with tf.Session(workers[0].target) as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(x), 127)
            # x_6 = w^6 + w^5 + ... + 1
            self.assertEqual(session.run(dw), sum(k * 2 ** (k - 1) for k in range(1, 7)))


if __name__ == "__main__":
    unittest.main()
