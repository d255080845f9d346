"""GraphDefs that come in and go out, and the messages that they consist of."""

import copy
import os
import pickle
import tempfile
import unittest

import numpy as np

import troupe as tf


def doubling():
    """A graph with the nodes x, y and z, of which y is 2 * x."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        with tf.control_dependencies([tf.no_op("z")]):
            tf.add(x, x, name="y")
    return graph.as_graph_def()


class ImportTest(tf.test.TestCase):
    def test_nodes_get_a_prefix_and_elements_are_returned(self):
        first = tf.import_graph_def(doubling(), return_elements=["x:0", "y:0", "z"])
        self.assertEqual([each.name for each in first], ["import/x:0", "import/y:0", "import/z"])
        (second,) = tf.import_graph_def(doubling(), return_elements=["y"])
        self.assertEqual(second.name, "import_1/y")
        self.assertEqual([op.name for op in second.control_inputs], ["import_1/z"])
        with tf.name_scope("outer"):
            self.assertIsNone(tf.import_graph_def(doubling(), name="net"))
        x, y, _ = first
        with tf.Session() as session:
            self.assertAllEqual(session.run(y, {x: [1, 2]}), [2, 4])
            self.assertAllEqual(session.run("outer/net/y:0", {"outer/net/x:0": [3, 4]}), [6, 8])

    def test_inputs_are_taken_from_the_graph(self):
        mine, before = tf.constant([5.0, 6.0]), tf.no_op("before")
        y, x = tf.import_graph_def(
            doubling(), {"x:0": mine, "^z": before}, ["y:0", "x:0"], name=""
        )
        self.assertIs(x, mine)
        self.assertEqual(y.op.control_inputs, [before])
        with tf.Session() as session:
            self.assertAllEqual(session.run(y), [10, 12])
            other = tf.import_graph_def(doubling(), {"x": [1.0, 1.0]}, ["y:0"], name="other")
            self.assertAllEqual(session.run(other[0]), [2, 2])

    def test_names_that_the_graph_has_get_a_suffix(self):
        with tf.Graph().as_default(), tf.Session() as session:
            for suffix in ("", "_1", "_2"):
                x, y, z = tf.import_graph_def(doubling(), None, ["x:0", b"y", "z"], name="")
                self.assertEqual([x.name, y.name], [f"x{suffix}:0", f"y{suffix}"])
                self.assertEqual(y.control_inputs, [z])
                self.assertAllEqual(session.run(y.outputs[0], {x: [1, 2]}), [2, 4])
            self.assertEqual(tf.add(1, 2, name="y").name, "y_3:0")
            with tf.name_scope("scope"):
                tf.no_op("x")
            mine = tf.constant([5.0, 6.0])
            x, y = tf.import_graph_def(doubling(), {b"x": mine}, ["z", "y:0"], name="scope/")
            self.assertEqual([x.name, y.name], ["scope/z", "scope/y:0"])
            self.assertEqual(tf.get_default_graph().get_operation_by_name("scope/x_1").type,
                             "Placeholder")  # fmt: skip
            self.assertAllEqual(session.run(y), [10, 12])

    def test_what_nothing_takes_may_be_mapped(self):
        mine = tf.constant([5.0, 6.0])
        found = tf.import_graph_def(doubling(), {"y:0": mine}, ["z"], name="a")
        self.assertEqual(found[0].name, "a/z")
        for name in ("y:1", "w", "^w"):
            before = tf.no_op() if name[0] == "^" else mine
            with self.assertRaisesRegex(ValueError, "inputs that were not found"):
                tf.import_graph_def(doubling(), {name: before}, name="b")

    def test_loops_of_the_same_names_are_different_loops(self):
        with tf.Graph().as_default() as graph:
            n = tf.placeholder(tf.int32, [], name="n")
            tf.identity(tf.while_loop(lambda i: i < n, lambda i: i + 1, [0]), name="last")
        graph_def = graph.as_graph_def()
        with tf.Graph().as_default(), tf.Session() as session:
            counts = []
            for number in (2, 3):
                n, last = tf.import_graph_def(graph_def, None, ["n:0", "last:0"], name="")
                counts.append((n, number, last))
            found = session.run([last for _, _, last in counts], {n: k for n, k, _ in counts})
            self.assertEqual(found, [2, 3])

    def test_what_cannot_be_imported_is_an_error_and_adds_nothing(self):
        for error, message, arguments in [
            (TypeError, "graph_def must be a GraphDef", {"graph_def": b"bytes"}),
            (TypeError, "return_elements must be", {"return_elements": "y"}),
            (TypeError, "input_map must be", {"input_map": {1: 2}}),
            (ValueError, "not found in graph_def", {"return_elements": ["w"]}),
            (ValueError, "inputs that were not found", {"input_map": {"w:0": tf.constant(1.0)}}),
        ]:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                tf.import_graph_def(**{"graph_def": doubling(), "name": "a", **arguments})
        size = len(tf.get_default_graph().get_operations())
        broken = doubling()
        broken.node[1].op = "NoSuchOp"
        with self.assertRaisesRegex(tf.errors.NotFoundError, r"NoSuchOp \(1\)"):
            tf.import_graph_def(broken)
        broken = doubling()
        broken.node.add(name="w", op="Neg", input=["nowhere"])
        with self.assertRaisesRegex(ValueError, "no node 'nowhere'"):
            tf.import_graph_def(broken)
        self.assertEqual(len(tf.get_default_graph().get_operations()), size)
        with tf.Graph().as_default():
            other = tf.constant(1.0)
        for error, message, target in [
            (ValueError, "is of another graph", {"x:0": other}),
            (TypeError, "must be an Operation", {"^x": 5}),
        ]:
            with self.assertRaisesRegex(error, message):
                tf.import_graph_def(doubling(), target)
        tf.get_default_graph().finalize()
        with self.assertRaisesRegex(RuntimeError, "finalized"):
            tf.import_graph_def(doubling())

    def test_devices_of_the_program_complete_those_of_the_nodes(self):
        graph_def = doubling()
        graph_def.node[0].device = "/job:worker"
        with tf.device("/task:1"):
            (x,) = tf.import_graph_def(graph_def, return_elements=["x"], name="a")
        with tf.device(lambda node: "/job:ps" if node.type == "AddV2" else node.device):
            y, x2 = tf.import_graph_def(graph_def, return_elements=["y", "x"], name="b")
        self.assertEqual([x.device, y.device, x2.device],
                         ["/job:worker/task:1", "/job:ps", "/job:worker"])  # fmt: skip

    def test_a_graph_with_variables_and_loops_comes_back(self):
        with tf.Graph().as_default() as graph:
            w = tf.get_variable("w", initializer=[1.0, 2.0])
            total = tf.while_loop(
                lambda i, _: i < 3, lambda i, v: (i + 1, v * w), [tf.constant(0), tf.ones([2])]
            )[1]
            tf.identity(total, name="y")
            tf.identity(tf.gradients(total, [w])[0], name="dw")
            tf.global_variables_initializer()
        with tf.Graph().as_default(), tf.Session() as session:
            y, dw, init = tf.import_graph_def(
                graph.as_graph_def(), return_elements=["y:0", "dw:0", "init"], name=""
            )
            session.run(init)
            self.assertAllEqual(session.run(y), [1, 8])
            self.assertAllClose(session.run(dw), [3, 12])

    def test_two_imports_of_a_loop_are_two_loops(self):
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(tf.int32, [], name="x")
            loop = tf.while_loop(lambda i, v: i < 4, lambda i, v: (i + 1, v * 2), [0, x])
            tf.identity(loop[1], name="y")
        (first,) = tf.import_graph_def(graph.as_graph_def(), {"x:0": 1}, ["y:0"], name="a")
        (second,) = tf.import_graph_def(graph.as_graph_def(), {"x:0": first}, ["y:0"], name="b")
        with tf.Session() as session:
            self.assertEqual(session.run([first, second]), [16, 256])


class MessagesTest(tf.test.TestCase):
    def test_a_graph_def_has_all_of_its_nodes(self):
        graph_def = doubling()
        self.assertEqual([node.name for node in graph_def.node], ["x", "z", "y"])
        y = graph_def.node[2]
        self.assertEqual(list(y.input), ["x", "x", "^z"])
        self.assertEqual(y.attr["T"].type, tf.float32.as_datatype_enum)
        self.assertEqual(graph_def.node[0].attr["shape"].shape.dim[0].size, 2)
        self.assertEqual(graph_def.versions.producer, 134)
        shaped = tf.Graph()
        with shaped.as_default():
            tf.placeholder(tf.float32, [None, 3])
        (node,) = shaped.as_graph_def(add_shapes=True).node
        self.assertEqual([d.size for d in node.attr["_output_shapes"].list.shape[0].dim], [-1, 3])

    def test_messages_are_written_read_copied_and_compared(self):
        graph_def = doubling()
        again = tf.GraphDef.FromString(graph_def.SerializeToString())
        self.assertEqual(again, graph_def)
        again.node[0].name = "other"
        self.assertNotEqual(again, graph_def)
        again.CopyFrom(graph_def)
        self.assertEqual(copy.deepcopy(again), pickle.loads(pickle.dumps(graph_def)))
        again.MergeFrom(graph_def)
        self.assertEqual(len(again.node), 6)
        again.Clear()
        self.assertEqual(again, tf.GraphDef())
        with self.assertRaisesRegex(ValueError, "no GraphDef"):
            again.ParseFromString(b"\x0a\xff")
        with self.assertRaisesRegex(ValueError, "Error parsing message"):
            tf.NodeDef.FromString(b"\x0a\xff")

    def test_an_attribute_has_one_value(self):
        value = tf.AttrValue(i=0)
        self.assertEqual(value.WhichOneof("value"), "i")
        value.list.s.append(b"loc:@x")
        self.assertEqual(value.WhichOneof("value"), "list")
        self.assertFalse(value.HasField("i"))
        value.f = 0.1
        self.assertEqual([value.f, value.HasField("list")], [np.float32(0.1), False])
        for fault in [{"s": "text"}, {"i": 1.5}, {"i": 1 << 63}]:
            with self.subTest(fault), self.assertRaises((TypeError, ValueError)):
                tf.AttrValue(**fault)
        with self.assertRaises(AttributeError):
            value.shape = tf.TensorShapeProto()
        with self.assertRaises(ValueError):
            tf.NodeDef().attr["T"] = value

    def test_the_text_form_is_that_of_protobuf(self):
        node = tf.NodeDef(name="a", op="Const", input=["^b"])
        node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto([b'"\x00\xff'], tf.string))
        node.attr["f"].f = 0.1
        self.assertEqual(
            str(node),
            'name: "a"\nop: "Const"\ninput: "^b"\n'
            'attr {\n  key: "f"\n  value {\n    f: 0.1\n  }\n}\n'
            'attr {\n  key: "value"\n  value {\n    tensor {\n      dtype: DT_STRING\n'
            "      tensor_shape {\n        dim {\n          size: 1\n        }\n      }\n"
            '      string_val: "\\"\\000\\377"\n    }\n  }\n}\n',
        )

    def test_arrays_are_the_same_after_both_ways(self):
        for array in [
            np.float32(1.5), np.arange(6).reshape(2, 3), np.array([1 + 2j, 0], np.complex64),
            np.array([1.5, -2], np.float16), np.zeros([0, 2], bool), np.array([b"a", b""], object),
        ]:  # fmt: skip
            with self.subTest(array.dtype):
                made = tf.make_ndarray(tf.make_tensor_proto(array))
                self.assertEqual(made.dtype, array.dtype)
                np.testing.assert_array_equal(made, array)
        filled = tf.make_ndarray(tf.make_tensor_proto(3.0, shape=[2, 2]))
        np.testing.assert_array_equal(filled, np.full([2, 2], 3, np.float32))


class GraphUtilTest(tf.test.TestCase):
    def test_a_part_of_a_graph_has_what_its_nodes_need(self):
        part = tf.graph_util.extract_sub_graph(doubling(), ["z"])
        self.assertEqual([node.name for node in part.node], ["z"])
        self.assertEqual(part.versions.producer, 134)
        with self.assertRaisesRegex(AssertionError, "w is not in graph"):
            tf.graph_util.extract_sub_graph(doubling(), ["w"])

    def test_nodes_that_change_no_value_are_removed(self):
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(tf.float32, [], name="x")
            y = tf.identity(tf.check_numerics(tf.identity(x), "no number"))
            kept = tf.identity(y, name="kept")
            with tf.control_dependencies([kept]):
                tf.negative(y, name="z")
        plain = tf.graph_util.remove_training_nodes(graph.as_graph_def())
        self.assertEqual([(n.name, list(n.input)) for n in plain.node],
                         [("x", []), ("kept", ["x"]), ("z", ["x", "^kept"])])  # fmt: skip

    def test_variables_become_constants(self):
        ids = tf.constant([1, 0], name="ids")
        w = tf.get_variable("w", initializer=[[1.0], [2.0]])
        old = tf.get_variable("old", initializer=3.0, use_resource=False)
        tf.identity(tf.nn.embedding_lookup(w, ids) * w * old, name="y")
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(tf.assign(w, [[5.0], [6.0]]))
            frozen = tf.graph_util.convert_variables_to_constants(
                session, session.graph_def, ["y"]
            )
        self.assertFalse([n for n in frozen.node if "Variable" in n.op or "Handle" in n.op])
        with tf.Graph().as_default(), tf.Session() as session:
            (y,) = tf.import_graph_def(frozen, return_elements=["y:0"])
            self.assertAllEqual(session.run(y), [[90], [90]])

    def test_variables_that_branches_and_loops_read_become_constants(self):
        limit, w = (tf.get_variable(name, initializer=2.0) for name in ("limit", "w"))
        x = tf.placeholder(tf.float32, [], name="x")
        chosen = tf.cond(x < limit, lambda: w * x, lambda: w + limit)
        looped = tf.while_loop(lambda y: y < limit * 4.0, lambda y: y * w, [chosen])
        tf.identity(looped, name="y")
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            frozen = tf.graph_util.convert_variables_to_constants(
                session, session.graph_def, ["y"]
            )
        self.assertFalse([n for n in frozen.node if "Variable" in n.op or "Handle" in n.op])
        with tf.Graph().as_default(), tf.Session() as session:
            x, y = tf.import_graph_def(frozen, return_elements=["x:0", "y:0"])
            self.assertEqual([session.run(y, {x: value}) for value in (1.5, 3.0)], [12, 8])

    def test_variables_are_left_by_their_names_and_need_no_values_then(self):
        w = tf.get_variable("w", initializer=2.0)
        old = tf.get_variable("old", initializer=3.0, use_resource=False)
        states = [
            tf.get_variable(name, initializer=0.0, use_resource=use)
            for name, use in (("state", True), ("old_state", False))
        ]
        tf.add_n([w, old, *states], name="y")
        for lists in (
            {"variable_names_blacklist": ["state", "old_state"]},
            {"variable_names_whitelist": ["w", "old"]},
            {"variable_names_blacklist": [each.op.name for each in states]},
        ):
            with tf.Session() as session:
                session.run([w.initializer, old.initializer])
                frozen = tf.graph_util.convert_variables_to_constants(
                    session, session.graph_def, ["y"], **lists
                )
            kept = [n.name for n in frozen.node if n.op in ("VarHandleOp", "VariableV2")]
            self.assertEqual({name.split("/")[0] for name in kept}, {"state", "old_state"}, lists)
            constants = {n.name.split("/")[0] for n in frozen.node if n.op == "Const"}
            self.assertLessEqual({"w", "old"}, constants, lists)

    def test_a_graph_is_written_to_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = tf.io.write_graph(doubling(), os.path.join(folder, "new"), "graph.pbtxt")
            self.assertEqual(path, os.path.join(folder, "new", "graph.pbtxt"))
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), str(doubling()))
            path = tf.train.write_graph(doubling(), folder, "graph.pb", as_text=False)
            with open(path, "rb") as file:
                self.assertEqual(tf.GraphDef.FromString(file.read()), doubling())

    def test_a_graph_is_written_to_the_current_folder(self):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                self.assertEqual(tf.io.write_graph(doubling(), "", "graph.pbtxt"), "graph.pbtxt")
                self.assertEqual(os.listdir(folder), ["graph.pbtxt"])
            finally:
                os.chdir(before)


if __name__ == "__main__":
    unittest.main()
