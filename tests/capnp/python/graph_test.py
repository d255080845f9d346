"""Graphs: names, scopes, devices, and errors at the line that makes a node."""

import pickle
import threading
import unittest

import numpy as np

import troupe as tf


class GraphTest(tf.test.TestCase):
    def test_names_differ_by_more_than_case(self):
        first, second = tf.get_variable("W", [1]), tf.get_variable("w", [1])
        with tf.variable_scope("Layer"):
            third = tf.get_variable("k", [1])
        with tf.variable_scope("layer"):
            fourth = tf.get_variable("K", [1])
        with tf.name_scope("S"), tf.name_scope("s"):
            inner = tf.constant(1, name="x")
        with tf.name_scope("s"):
            outer = tf.constant(1, name="X")
        found = [each.name for each in (first, second, third, fourth, inner, outer)]
        self.assertEqual(
            found, ["W:0", "w_1:0", "Layer/k:0", "layer/K_1:0", "S/s/x:0", "s_1/X:0"]
        )

    def test_a_node_knows_its_op(self):
        x = tf.square(tf.random.uniform([2]), name="x")
        defined = x.op.op_def
        self.assertEqual((defined.name, defined.is_stateful), ("Square", False))
        self.assertEqual([each.name for each in defined.input_arg], ["x"])
        self.assertEqual([each.name for each in defined.output_arg], ["y"])
        states = {op.type: op.op_def.is_stateful for op in x.graph.get_operations()}
        self.assertTrue(states["RandomUniform"])
        self.assertFalse(states["Const"])

    def test_names_are_made_unique_as_in_tensorflow(self):
        a, b = tf.constant(1.0), tf.constant(2.0)
        self.assertEqual([a.name, b.name], ["Const:0", "Const_1:0"])
        self.assertEqual([(a + b).name, (a + b).name], ["add:0", "add_1:0"])
        self.assertEqual(tf.matmul([[1.0]], [[1.0]], name="product").op.name, "product")

    def test_name_scopes_nest_and_are_entered_again_by_their_full_name(self):
        with tf.name_scope("outer") as outer:
            with tf.name_scope("inner"):
                self.assertEqual(tf.no_op("x").name, "outer/inner/x")
        with tf.name_scope("outer"):
            self.assertEqual(tf.no_op("x").name, "outer_1/x")
        with tf.name_scope(outer):
            self.assertEqual(tf.no_op("y").name, "outer/y")
        self.assertEqual(tf.no_op("z").name, "z")
        with tf.name_scope("elsewhere"):
            self.assertEqual(tf.no_op("outer/whole/").name, "outer/whole")

    def test_a_device_function_is_told_the_names_that_nodes_get(self):
        told = []
        with tf.Graph().as_default(), tf.device(lambda op: told.append(op.name)):
            made = [tf.constant(1.0, name="a") for _ in range(3)]
            with tf.name_scope("s"):
                made += [tf.constant(1.0, name=name) for name in ("a", "a_1", "a")]
        self.assertEqual(told, ["a", "a_1", "a_2", "s/a", "s/a_1", "s/a_2"])
        self.assertEqual(told, [each.op.name for each in made])

    def test_inner_devices_win_where_both_name_the_same_part(self):
        with tf.device("/job:ps/task:1"):
            with tf.device("/cpu:0"):
                self.assertEqual(tf.no_op().device, "/job:ps/task:1/device:CPU:0")
            with tf.device("/task:2"):
                self.assertEqual(tf.no_op().device, "/job:ps/task:2")
            with tf.device(None):
                self.assertEqual(tf.no_op().device, "")

    def test_colocation_is_stronger_than_devices_and_is_said_to_the_cluster(self):
        with tf.device("/job:ps"):
            x = tf.constant(1.0, name="x")
        with tf.device("/job:worker"), tf.colocate_with(x):
            y = tf.constant(1.0, name="y")
            with tf.device("/job:chief"):
                z = tf.constant(1.0, name="z")
        for value in (y, z):
            self.assertEqual(value.op.device, "/job:ps")
            self.assertEqual(value.op.colocation_groups(), [b"loc:@x"])
        self.assertEqual(y.op.get_attr("_class"), [b"loc:@x"])

    def test_colocation_adds_up_unless_it_is_told_to_ignore_what_is_there(self):
        x, y = tf.constant(1.0, name="x"), tf.constant(1.0, name="y")
        with tf.colocate_with(x):
            with tf.colocate_with(y):
                both = tf.constant(1.0)
            with tf.colocate_with(y, ignore_existing=True):
                one = tf.constant(1.0)
            with tf.colocate_with(None, ignore_existing=True):
                none = tf.constant(1.0, name="none")
            with self.assertRaisesRegex(ValueError, "Trying to reset colocation"):
                with tf.colocate_with(None):
                    pass
        self.assertEqual(both.op.colocation_groups(), [b"loc:@x", b"loc:@y"])
        self.assertEqual(one.op.colocation_groups(), [b"loc:@y"])
        self.assertEqual(none.op.colocation_groups(), [b"loc:@none"])

    def test_what_is_colocated_with_a_variable_runs_where_that_is(self):
        v = tf.get_variable("v", initializer=[1.0, 2.0])
        with tf.colocate_with(v):
            y = tf.constant([1.0, 2.0]) + v
        self.assertEqual(y.op.colocation_groups(), [b"loc:@v"])
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertEqual(session.run(y).tolist(), [2.0, 4.0])

    def test_an_invalid_device_name_is_an_error_of_tf_device(self):
        with self.assertRaisesRegex(ValueError, "/job:ps/what"), tf.device("/job:ps/what"):
            self.fail("entered")

    def test_a_function_chooses_the_device_of_each_node(self):
        with tf.device(lambda node: "/job:" + node.type.lower()):
            self.assertEqual(tf.no_op().device, "/job:noop")
            self.assertEqual(tf.constant(1).device, "/job:const")

    def test_a_wrong_dtype_is_a_type_error_that_names_the_input(self):
        floats, ints = tf.constant([[1.0]]), tf.constant([[1]])
        with self.assertRaisesRegex(TypeError, "input 'b' must be float32, not int32") as caught:
            tf.matmul(floats, ints)
        self.assertIsInstance(caught.exception, tf.errors.InvalidArgumentError)
        self.assertEqual([caught.exception.node, caught.exception.node_op], ["MatMul", "MatMul"])

    def test_a_wrong_shape_is_a_value_error_and_leaves_the_graph_usable(self):
        a = tf.constant([[1.0, 2.0]])
        with self.assertRaisesRegex(ValueError, "the inner sizes must agree"):
            tf.matmul(a, a)
        with tf.Session() as session:
            self.assertAllClose(session.run(a + 1.0), [[2, 3]])

    def test_an_unknown_attribute_of_an_op_is_a_type_error(self):
        with self.assertRaises(TypeError):
            tf.raw_ops.MatMul(a=[[1.0]], b=[[1.0]], transposed=True)

    def test_elements_are_found_by_name(self):
        graph = tf.get_default_graph()
        x = tf.constant(1.0, name="x")
        self.assertIs(graph.get_tensor_by_name("x:0"), x)
        self.assertIs(graph.get_operation_by_name("x"), x.op)
        self.assertIs(graph.as_graph_element("x:0"), x)
        with self.assertRaisesRegex(KeyError, "did you mean 'x'"):
            graph.get_operation_by_name("xx")

    def test_operations_know_their_inputs_attributes_and_the_users_line(self):
        a = tf.constant([[1.0]])
        with tf.control_dependencies([a]):
            product = tf.matmul(a, a, transpose_b=True)
        self.assertEqual(product.op.inputs, (a, a))
        self.assertEqual(product.op.control_inputs, [a.op])
        self.assertEqual(product.op.get_attr("transpose_b"), True)
        self.assertIsNone(tf.placeholder(tf.float32).op.get_attr("shape"))
        self.assertEqual(product.op.type, "MatMul")
        self.assertIn("graph_test.py", product.op.defined_at)
        self.assertEqual(a.consumers(), [product.op])

    def test_a_finalized_graph_takes_no_more_nodes(self):
        tf.get_default_graph().finalize()
        with self.assertRaisesRegex(RuntimeError, "finalized"):
            tf.no_op()

    def test_graphs_do_not_mix(self):
        x = tf.constant(1.0)
        with tf.Graph().as_default():
            with self.assertRaisesRegex(ValueError, "'Const:0' .* another graph than the Exp"):
                tf.exp(x)
            with tf.Session() as session, self.assertRaises(ValueError):
                session.run(x)

    def test_shapes_are_known_as_far_as_ops_tell(self):
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.matmul(x, tf.ones([3, 2]))
        self.assertEqual(y.shape.as_list(), [None, 2])
        self.assertEqual(y.get_shape()[1].value, 2)
        self.assertEqual(str(y.shape), "(?, 2)")
        x.set_shape([5, 3])
        self.assertEqual(x.shape, [5, 3])
        with self.assertRaises(ValueError):
            x.set_shape([6, 3])
        self.assertFalse(tf.TensorShape([2, None]).is_compatible_with([3, 3]))
        self.assertIsNone(tf.TensorShape(None).rank)

    def test_collections_are_kept_with_the_graph(self):
        tf.add_to_collection("mine", 1)
        self.assertEqual(tf.get_collection("mine"), [1])
        with tf.Graph().as_default():
            self.assertEqual(tf.get_collection("mine"), [])

    def test_a_collections_scope_is_a_pattern_at_the_beginning_of_names(self):
        for name in ("a/x", "b/x", "ab/x"):
            tf.add_to_collections(["one", "other"], tf.no_op(name))
        names = [op.name for op in tf.get_collection("other", "a(b)?/")]
        self.assertEqual(names, ["a/x", "ab/x"])
        tf.get_default_graph().clear_collection("one")
        self.assertEqual(tf.get_collection("one"), [])

    def test_a_graph_shows_its_nodes_as_records(self):
        with tf.device("/cpu:0"):
            x = tf.constant(1.0, name="x")
        with tf.control_dependencies([tf.no_op("before")]):
            tf.exp(x, name="y")
        nodes = {node.name: node for node in tf.get_default_graph().as_graph_def().node}
        self.assertEqual([nodes["x"].op, nodes["x"].device], ["Const", "/device:CPU:0"])
        self.assertEqual(nodes["y"].input, ["x", "^before"])
        self.assertEqual(repr(x.op.node_def), repr(nodes["x"]))

    def test_a_unique_name_is_not_given_to_any_other_node(self):
        tf.no_op("x")
        with tf.name_scope("s"):
            self.assertEqual(tf.get_default_graph().unique_name("x"), "s/x")
            self.assertEqual(tf.no_op("x").name, "s/x_1")
        self.assertEqual(tf.get_default_graph().unique_name("x"), "x_1")

    def test_a_tensor_is_no_bool_and_no_array(self):
        x = tf.constant([1.0])
        for use in (bool, len, list, np.asarray):
            with self.assertRaises((TypeError, NotImplementedError)):
                use(x)

    def test_threads_have_scopes_of_their_own_and_may_add_nodes_at_once(self):
        graph = tf.get_default_graph()
        names = []

        def build(number):
            with graph.as_default(), tf.name_scope(f"thread{number}"):
                for _ in range(50):
                    names.append(tf.no_op().name)

        threads = [threading.Thread(target=build, args=(number,)) for number in range(8)]
        with tf.name_scope("outside"):
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(len(set(names)), 400)
        self.assertTrue(all(name.startswith("thread") for name in names))


class DTypeTest(unittest.TestCase):
    def test_dtypes_are_those_of_names_types_and_arrays(self):
        self.assertIs(tf.as_dtype("float32"), tf.float32)
        self.assertIs(tf.as_dtype(np.int64), tf.int64)
        self.assertIs(tf.as_dtype(np.zeros(1, np.uint8).dtype), tf.uint8)
        self.assertIs(tf.as_dtype(bool), tf.bool)
        self.assertEqual(tf.float32, "float32")
        self.assertEqual(tf.float32.as_numpy_dtype, np.float32)
        self.assertTrue(tf.int8.is_integer and tf.float16.is_floating and not tf.bool.is_integer)
        self.assertIs(tf.as_dtype("float"), tf.float32)  # unlike in NumPy
        with self.assertRaises(TypeError):
            tf.as_dtype("decimal")

    def test_a_pickled_dtype_names_public_modules_only(self):
        pickled = pickle.dumps(tf.float32)
        self.assertNotIn(b"_src", pickled)
        self.assertIs(pickle.loads(pickled), tf.float32)


if __name__ == "__main__":
    unittest.main()
