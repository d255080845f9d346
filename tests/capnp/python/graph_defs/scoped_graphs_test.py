"""Parts of graphs as messages: one scope, one saver, no defaults."""

import os
import unittest

import troupe as tf
import troupe.as_tensorflow
from tensorflow.python.framework import meta_graph


def build_layers():
    """Two layers in scopes, the second of which takes what the first gives."""
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    for name in ("one", "two"):
        with tf.variable_scope(name):
            w = tf.get_variable("w", initializer=[[1.0, 2.0], [3.0, 4.0]])
            x = tf.matmul(x, w, name="product")
            tf.add_to_collection("products", x)
    return x


class ScopedGraphsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.Session.reset("", [""])

    def exported(self, **options):
        with tf.Graph().as_default():
            build_layers()
            return tf.train.export_meta_graph(**options)

    def test_a_scope_is_exported_alone_and_imported_elsewhere(self):
        for scope in ("two", "two/"):
            message = self.exported(export_scope=scope)
            names = {node.name for node in message.graph_def.node}
            self.assertIn("product", names)
            self.assertFalse([name for name in names if name.startswith(("one", "two", "x"))])
            self.assertEqual(
                list(message.collection_def["unbound_inputs"].bytes_list.value),
                [b"$unbound_inputs_one/product"],
            )
            self.assertEqual(list(message.collection_def["products"].node_list.value),
                             ["product:0"])  # fmt: skip
        with tf.Graph().as_default(), tf.Session() as session:
            mine = tf.constant([[1.0, 1.0]])
            with self.assertRaisesRegex(ValueError, "unbound inputs: .*one/product"):
                tf.train.import_meta_graph(message)
            with self.assertRaisesRegex(ValueError, "unbound inputs"):
                tf.train.import_meta_graph(message, input_map={"other": mine})
            inputs = {"$unbound_inputs_one/product": mine}
            tf.train.import_meta_graph(message, input_map=inputs, import_scope="new")
            (w,) = tf.global_variables()
            self.assertEqual(w.name, "new/w:0")
            session.run(w.initializer)
            (product,) = tf.get_collection("products")
            self.assertAllEqual(session.run(product), [[4, 6]])
            self.assertEqual(tf.get_collection("unbound_inputs"), [])

    def test_groups_and_frames_are_named_as_in_the_scope_and_functions_are_kept(self):
        whole = tf.GraphDef()
        whole.library.function.add().signature.name = "f"

        def add(name, op, inputs, groups=(), frame=None):
            node = whole.node.add(name=name, op=op)
            node.input.extend(inputs)
            if groups:
                node.attr["_class"].list.s.extend(groups)
            if frame:
                node.attr["frame_name"].s = frame

        add("other", "NoOp", [])
        add("net/x", "Placeholder", [])
        add("net/y", "Enter", ["net/x", "^net/x", "^other"], [b"loc:@net/x", b"loc:@other"],
            b"net/loop")  # fmt: skip
        add("net/z", "Identity", ["net/y"], [b"loc:@other"], b"net/loop")
        add("network", "NoOp", [])
        message, _ = meta_graph.export_scoped_meta_graph(graph_def=whole, export_scope="net")
        (function,) = message.graph_def.library.function
        self.assertEqual(function.signature.name, "f")
        x, y, z = message.graph_def.node
        self.assertEqual([x.name, y.name, z.name], ["x", "y", "z"])
        self.assertEqual(list(y.input), ["x", "^x", "^$unbound_inputs_other"])
        self.assertEqual(list(y.attr["_class"].list.s), [b"loc:@x"])
        self.assertEqual(y.attr["frame_name"].s, b"loop")
        self.assertNotIn("_class", x.attr)
        self.assertNotIn("_class", z.attr)
        self.assertEqual(z.attr["frame_name"].s, b"net/loop")  # no frame of a loop
        self.assertEqual(len(whole.node), 5)
        everything, _ = meta_graph.export_scoped_meta_graph(graph_def=whole)
        self.assertEqual(list(everything.graph_def.node), list(whole.node))

    def test_what_a_scope_takes_from_others_is_in_a_collection_of_any_name_or_none(self):
        for key in ("taken", None):
            with tf.Graph().as_default():
                build_layers()
                path = os.path.join(self.get_temp_dir(), "part")
                message, _ = meta_graph.export_scoped_meta_graph(
                    path, export_scope="two", unbound_inputs_col_name=key
                )
            self.assertEqual(str(meta_graph.read_meta_graph_file(path)), str(message))
            self.assertNotIn("unbound_inputs", message.collection_def)
            if key is None:
                self.assertNotIn("taken", message.collection_def)
                continue
            found = list(message.collection_def[key].bytes_list.value)
            self.assertEqual(found, [b"$unbound_inputs_one/product"])
            with tf.Graph().as_default():
                inputs = {"$unbound_inputs_one/product": tf.constant([[1.0, 1.0]])}
                with self.assertRaisesRegex(ValueError, "unbound inputs"):
                    meta_graph.import_scoped_meta_graph(message, unbound_inputs_col_name=key)
                variables = meta_graph.import_scoped_meta_graph(
                    message, unbound_inputs_col_name=key, input_map=inputs
                )
                self.assertEqual(list(variables), ["w:0"])

    def test_a_collection_is_added_to_a_message(self):
        message = tf.MetaGraphDef()
        with tf.Graph().as_default() as graph:
            build_layers()
        meta_graph.add_collection_def(message, "products", graph, "two")
        self.assertEqual(list(message.collection_def["products"].node_list.value), ["product:0"])

    def test_the_saver_of_a_scope_is_exported_with_it(self):
        path = os.path.join(self.get_temp_dir(), "model")
        with tf.Graph().as_default(), tf.Session() as session:
            with tf.variable_scope("net"):
                w = tf.get_variable("w", initializer=3.0)
            with tf.name_scope("net/"):
                saver = tf.train.Saver([w])
            session.run(w.initializer)
            saver.save(session, path)
            message = saver.export_meta_graph(export_scope="net")
            self.assertEqual(saver.to_proto("other"), None)
        self.assertEqual(message.saver_def.restore_op_name, "save/restore_all")
        with tf.Graph().as_default(), tf.Session() as session:
            tf.train.import_meta_graph(message, import_scope="again").restore(session, path)
            self.assertEqual(session.run("again/w:0"), 3)

    def test_a_scope_is_copied_with_its_variables(self):
        path = os.path.join(self.get_temp_dir(), "model")
        with tf.Graph().as_default() as first, tf.Session() as session:
            with tf.name_scope("net"):
                w = tf.Variable([1.0, 2.0], name="w")
                tf.add(w, 1.0, name="more")
            session.run(w.initializer)
            message, variables = meta_graph.export_scoped_meta_graph(export_scope="net")
            self.assertEqual(variables, {"w:0": w})
            self.assertEqual(message.meta_info_def.tensorflow_version, tf.VERSION)
            tf.train.Saver(variables).save(session, path)
            copies = meta_graph.copy_scoped_meta_graph("net", "copy")
            self.assertEqual(copies["w:0"].name, "copy/w:0")
            with self.assertRaisesRegex(ValueError, "need to be different"):
                meta_graph.copy_scoped_meta_graph("net", "net")
        second = tf.Graph()
        copies = meta_graph.copy_scoped_meta_graph("net", "there", first, second)
        with second.as_default(), tf.Session() as session:
            tf.train.Saver(copies).restore(session, path)
            self.assertAllEqual(session.run("there/more:0"), [2, 3])

    def test_a_graph_is_read_from_its_text_form(self):
        path = os.path.join(self.get_temp_dir(), "graph.pbtxt")
        message = self.exported(filename=path, as_text=True)
        self.assertEqual(str(meta_graph.read_meta_graph_file(path)), str(message))
        with tf.Graph().as_default():
            tf.train.import_meta_graph(path)
            self.assertEqual(len(tf.global_variables()), 2)

    def test_nodes_of_other_savers_are_left_out(self):
        with tf.Graph().as_default():
            build_layers()
            tf.train.Saver(name="other")
            saver = tf.train.Saver()
            message = saver.export_meta_graph(clear_extraneous_savers=True)
            names = [node.name for node in message.graph_def.node]
            self.assertIn(saver.saver_def.restore_op_name, names)
            self.assertFalse([name for name in names if name.startswith("other/")])
            whole = saver.export_meta_graph()
            self.assertTrue([n for n in whole.graph_def.node if n.name.startswith("other/")])
        with tf.Graph().as_default():
            tf.train.import_meta_graph(message)

    def test_attributes_that_have_their_defaults_are_left_out(self):
        whole = self.exported()
        message = self.exported(strip_default_attrs=True)
        self.assertFalse(whole.meta_info_def.stripped_default_attrs)
        self.assertTrue(message.meta_info_def.stripped_default_attrs)
        product = {node.name: node for node in whole.graph_def.node}["one/product"]
        self.assertIn("transpose_a", product.attr)
        product = {node.name: node for node in message.graph_def.node}["one/product"]
        self.assertEqual(sorted(key for key in product.attr if key[0] != "_"), ["T"])
        with tf.Graph().as_default() as graph, tf.Session() as session:
            tf.train.import_meta_graph(message)
            session.run(tf.global_variables_initializer())
            self.assertAllEqual(session.run("two/product:0", {"x:0": [[1, 0]]}), [[7, 10]])
            again = tf.train.export_meta_graph(strip_default_attrs=True)
            count = len(message.graph_def.node)  # those of a saver follow
            self.assertEqual(list(again.graph_def.node)[:count], list(message.graph_def.node))
            conv = tf.nn.conv2d(tf.zeros([1, 2, 2, 1]), tf.ones([1, 1, 1, 1]), [1, 1, 1, 1],
                                "SAME", dilations=[1, 2, 2, 1], name="conv")  # fmt: skip
            stripped = tf.train.export_meta_graph(strip_default_attrs=True, graph=graph)
            attrs = {node.name: node.attr for node in stripped.graph_def.node}[conv.op.name]
            self.assertIn("dilations", attrs)
            self.assertNotIn("data_format", attrs)
            for shape, is_kept in (([], False), ([2], True)):
                node = tf.NodeDef(op="MutableHashTableOfTensorsV2", name="table")
                node.attr["key_dtype"].type, node.attr["value_dtype"].type = 9, 1
                node.attr["value_shape"].shape.CopyFrom(tf.TensorShape(shape).as_proto())
                part, _ = meta_graph.export_scoped_meta_graph(
                    graph_def=tf.GraphDef(node=[node]), strip_default_attrs=True
                )
                self.assertEqual("value_shape" in part.graph_def.node[0].attr, is_kept)


if __name__ == "__main__":
    unittest.main()
