"""Modules: objects that find the variables of their attributes."""

import collections
import unittest

import troupe as tf

Pair = collections.namedtuple("Pair", "left right")


class Dense(tf.Module):
    def __init__(self, size, name=None):
        super().__init__(name=name)
        with self.name_scope:
            self.weights = tf.Variable(tf.ones([size]), name="weights")
            self.count = tf.Variable(0.0, trainable=False, name="count")

    @tf.Module.with_name_scope
    def __call__(self, x):
        return tf.multiply(x, self.weights, name="product")


class Network(tf.Module):
    def __init__(self):
        super().__init__()
        self.b = [Dense(1, name="one"), {"z": Dense(2, name="two")}]
        self.a = Pair(tf.Variable(3.0, name="left"), "text")
        self.again = self.b[0]


class ModuleTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_names_are_those_of_classes_in_small_letters(self):
        class HTTPServer2Pool(tf.Module):
            pass

        self.assertEqual(HTTPServer2Pool().name, "http_server2_pool")
        self.assertEqual(tf.Module(name="given").name, "given")
        with self.assertRaisesRegex(ValueError, "valid Python identifiers"):
            tf.Module(name="not one")

    def test_variables_come_by_the_names_of_attributes_and_once(self):
        network = Network()
        names = [variable.op.name for variable in network.variables]
        self.assertEqual(
            names, ["left", "one/count", "one/weights", "two/count", "two/weights"]
        )
        trained = [variable.op.name for variable in network.trainable_variables]
        self.assertEqual(trained, ["left", "one/weights", "two/weights"])
        self.assertEqual(network.submodules, (network.b[0], network.b[1]["z"]))

    def test_paths_lead_to_what_is_found(self):
        network = Network()
        found = dict(network._flatten(predicate=lambda x: x == "text", with_path=True))
        self.assertEqual(found, {("a", "right"): "text"})
        paths = [path for path, _ in network._flatten(
            predicate=lambda x: isinstance(x, tf.Module), with_path=True)]
        self.assertEqual(paths, [("again",), ("b", 0), ("b", 1, "z")])

    def test_classes_of_modules_may_have_any_metaclass(self):
        class Counting(type):
            pass

        class Counted(tf.Module, metaclass=Counting):
            pass

        self.assertIs(type(tf.Module), type)
        self.assertEqual(Counted().name, "counted")
        for each in (tf.layers.Dense(1), tf.keras.layers.Dense(1), tf.nn.rnn_cell.GRUCell(1)):
            self.assertIsInstance(each, tf.Module)

    def test_methods_run_in_the_scope_of_the_module(self):
        with tf.name_scope("outer"):
            dense = Dense(2)
        self.assertEqual(dense.weights.op.name, "outer/dense/weights")
        self.assertEqual(dense(2.0).op.name, "outer/dense/product")
        self.assertEqual(dense(2.0).op.name, "outer/dense/product_1")

    def test_a_checkpoint_has_the_variables_of_a_module(self):
        import tempfile

        with tempfile.TemporaryDirectory() as folder, tf.Session() as session:
            dense = Dense(2)
            session.run(tf.global_variables_initializer())
            path = tf.train.Checkpoint(model=dense).save(f"{folder}/saved", session)
            names = [name for name, _ in tf.train.list_variables(path)]
            self.assertIn("model/weights/.ATTRIBUTES/VARIABLE_VALUE", names)


if __name__ == "__main__":
    unittest.main()
