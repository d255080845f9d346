"""Variables with the shape that a program gives them: values of other sizes may follow."""

import numpy as np

import troupe as tf


class GivenShapesTest(tf.test.TestCase):
    def test_a_variable_without_a_known_shape_gets_values_of_any(self):
        for use_resource in (True, False):
            with self.subTest(use_resource=use_resource), tf.Graph().as_default():
                v = tf.Variable([1.0, 2.0], shape=tf.TensorShape(None), use_resource=use_resource)
                self.assertIsNone(v.shape.rank)
                assigned = tf.assign(v, [[3.0]], validate_shape=False)
                doubled = v * 2.0
                with tf.Session() as session:
                    session.run(v.initializer)
                    self.assertAllEqual(session.run(doubled), [2, 4])
                    self.assertAllEqual(session.run(assigned), [[3]])
                    self.assertAllEqual(session.run(doubled), [[6]])

    def test_known_sizes_of_a_shape_stay(self):
        v = tf.Variable(np.zeros([2, 3], np.float32), shape=[None, 3])
        self.assertEqual(v.shape.as_list(), [None, 3])
        with tf.Session() as session:
            session.run(v.initializer)
            session.run(v.assign(np.ones([5, 3])))
            self.assertAllEqual(session.run(v), np.ones([5, 3]))
        with self.assertRaises((ValueError, tf.errors.InvalidArgumentError)):
            v.assign(np.ones([5, 4]))

    def test_a_shape_that_the_initial_value_does_not_have_is_refused(self):
        with self.assertRaisesRegex(ValueError, "does not fit the argument `shape`"):
            tf.Variable([1.0, 2.0], shape=[3])

    def test_without_validation_a_variable_changes_its_shape(self):
        for use_resource in (True, False, None):
            with self.subTest(use_resource=use_resource), tf.Graph().as_default():
                v = tf.Variable([1.0, 2.0], use_resource=use_resource)
                assigned = tf.assign(v, [[3.0, 4.0, 5.0]], validate_shape=False)
                self.assertEqual(assigned.shape.as_list(), [1, 3])
                with tf.Session() as session:
                    session.run(v.initializer)
                    self.assertAllEqual(session.run(assigned), [[3, 4, 5]])
                    self.assertAllEqual(session.run(v), [[3, 4, 5]])
                with self.assertRaises(ValueError):
                    v.assign([3.0])

    def test_a_variable_whose_shape_is_not_validated_grows_and_is_restored(self):
        made = tf.Variable([1.0], validate_shape=False)
        found = tf.get_variable("found", initializer=[1.0], validate_shape=False)
        for v in (made, found):
            with self.subTest(v=v.name):
                self.assertIsNone(v.shape.rank)
                grown = tf.assign(v, tf.concat([v, v], 0), validate_shape=False)
                saver = tf.train.Saver([v])
                path = self.get_temp_dir() + "/" + v.op.name
                with tf.Session() as session:
                    session.run(v.initializer)
                    session.run(grown)
                    saver.save(session, path)
                    session.run(grown)
                    self.assertAllEqual(session.run(v), [1] * 4)
                    saver.restore(session, path)
                    self.assertAllEqual(session.run(v), [1] * 2)

    def test_the_shape_of_a_variable_may_be_refined_where_it_is_not_validated(self):
        free = tf.Variable(tf.placeholder(tf.float32), validate_shape=False)
        free.set_shape([2, None])
        free.set_shape([None, 3])
        self.assertEqual(free.shape.as_list(), [2, 3])
        self.assertEqual(tf.transpose(free).shape.as_list(), [3, 2])
        fixed = tf.get_variable("fixed", [2, 3])
        fixed.set_shape([2, None])
        for v in (free, fixed):
            with self.assertRaises(ValueError):
                v.set_shape([3, 3])
        sized = tf.get_variable("sized", [2], use_resource=True)
        with self.assertRaises(ValueError):
            sized.set_shape([2, 1])
        with tf.Session() as session:
            session.run(free.initializer, {free.initial_value: [[1.0] * 3] * 2})
            self.assertAllEqual(session.run(tf.transpose(free)), [[1, 1]] * 3)


if __name__ == "__main__":
    tf.test.main()
