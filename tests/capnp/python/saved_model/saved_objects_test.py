"""SavedModels of objects: of a `tf.Module` of this program, and of one of TensorFlow 1.15."""

import os
import pathlib
import tempfile

import numpy as np

import troupe as tf
from troupe._src.messages.meta_graph_messages import SavedModel

RECORDED = pathlib.Path(__file__).parents[3] / "reference" / "saved_models"


class Module(tf.Module):
    def __init__(self):
        super().__init__()
        self.v = tf.Variable(10.0, name="v")
        self.parts = [tf.Variable([1.0, 2.0])]
        self.offset = tf.constant([5.0, 6.0])
        self.named = {"count": tf.Variable(1, trainable=False)}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def scale(self, x):
        return {"o": self.v * x + tf.reduce_sum(self.parts[0])}

    @tf.function
    def flip(self, x, factor=2.0, flag=False):
        return x * factor * self.v, [x if flag else -x]

    @tf.function(
        input_signature=[tf.TensorSpec([], tf.float32, "first"), tf.TensorSpec([None, 2])]
    )
    def two(self, a, b):
        return a * b + self.offset


class SavedObjectsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.Session.reset("", [""])
        tf.reset_default_graph()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "model")

    def saved(self, **options):
        with tf.Graph().as_default(), tf.Session() as session:
            made = Module()
            made.flip(tf.zeros([2]))
            made.flip(tf.zeros([3]), factor=tf.constant(1.0), flag=True)
            session.run(tf.global_variables_initializer())
            signatures = {"serving_default": made.scale, "two": made.two}
            tf.saved_model.save(made, self.folder, **{"signatures": signatures, **options})
        return self.folder

    def test_items_of_lists_keep_their_places(self):
        with tf.Graph().as_default(), tf.Session() as session:
            made = tf.Module()
            made.parts = [3.0, tf.Variable([2.0])]  # a number is no object, and not saved
            session.run(tf.global_variables_initializer())
            tf.saved_model.save(made, self.folder)
        with tf.Graph().as_default():
            parts = tf.saved_model.load_v2(self.folder).parts
            self.assertIsNone(parts[0])
            self.assertEqual([part.shape.as_list() for part in parts[1:]], [[1]])

    def check(self, folder):
        """What TensorFlow 1.15 gives for either folder."""
        with tf.Graph().as_default(), tf.Session() as session:
            loaded = tf.saved_model.load_v2(folder)
            scaled = loaded.scale([1.0, 2.0])
            flipped = loaded.flip(tf.constant([1.0, 2.0]))
            kept = loaded.flip(tf.constant([1.0, 2.0, 3.0]), tf.constant(0.5), flag=True)
            served = loaded.signatures["two"](first=tf.constant(2.0), b=tf.ones([1, 2]))
            gradients = tf.gradients(scaled["o"], [loaded.v, *loaded.parts])
            self.assertEqual(scaled["o"].shape.as_list(), [None])
            session.run(tf.global_variables_initializer())
            self.assertAllClose(session.run(scaled), {"o": [13.0, 23.0]})
            self.assertAllClose(session.run(flipped), ([20.0, 40.0], [[-1.0, -2.0]]))
            self.assertAllClose(session.run(kept), ([5.0, 10.0, 15.0], [[1.0, 2.0, 3.0]]))
            self.assertAllClose(session.run(served), {"output_0": [[7.0, 8.0]]})
            self.assertAllClose(session.run(gradients), [3.0, [2.0, 2.0]])
            self.assertEqual(session.run(loaded.named["count"]), 1)
            self.assertEqual((loaded.v.trainable, loaded.named["count"].trainable), (True, False))
            self.assertEqual(sorted(loaded.signatures), ["serving_default", "two"])
            self.assertEqual(tf.trainable_variables(), [])

    def test_a_module_is_saved_with_its_functions(self):
        self.check(self.saved())

    def test_a_module_of_tensorflow_is_loaded(self):
        self.check(str(RECORDED / "module"))

    def test_sessions_load_the_signatures(self):
        for folder in (self.saved(), str(RECORDED / "module")):
            with tf.Graph().as_default(), tf.Session() as session:
                loaded = tf.saved_model.loader.load(session, ["serve"], folder)
                signature = loaded.signature_def["serving_default"]
                self.assertEqual(signature.method_name, "tensorflow/serving/predict")
                given = {signature.inputs["x"].name: [2.0]}
                found = session.run(signature.outputs["o"].name, given)
                self.assertAllClose(found, [23.0])

    def test_what_was_loaded_is_saved_again(self):
        with tf.Graph().as_default(), tf.Session() as session:
            loaded = tf.saved_model.load_v2(str(RECORDED / "module"))
            session.run(tf.global_variables_initializer())
            session.run(loaded.v.assign(1.0))
            tf.saved_model.save(loaded, self.folder, signatures=loaded.scale)
        with tf.Graph().as_default(), tf.Session() as session:
            loaded = tf.compat.v2.saved_model.load(self.folder)
            found = loaded.scale(tf.constant([1.0]))
            session.run(tf.global_variables_initializer())
            self.assertAllClose(session.run(found), {"o": [4.0]})

    def test_functions_call_functions_that_were_loaded(self):
        with tf.Graph().as_default(), tf.Session() as session:
            loaded = tf.saved_model.load_v2(self.saved())
            twice = tf.function(lambda x: loaded.scale(x)["o"] * 2.0)
            found = twice(tf.constant([1.0]))
            session.run(tf.global_variables_initializer())
            self.assertAllClose(session.run(found), [26.0])

    def test_names_of_functions_may_be_ops(self):
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def thrice(x):
            return 3 * x

        made = tf.Module()
        made.f = tf.function(lambda x: thrice(x) + 1, thrice.input_signature)
        tf.saved_model.save(made, self.folder)
        file = pathlib.Path(self.folder, "saved_model.pb")
        message = SavedModel.FromString(file.read_bytes())
        functions = message.meta_graphs[0].graph_def.library.function
        result = {each.signature.name: each.signature.output_arg[0].name for each in functions}
        calls = 0
        for function in functions:
            for call in [node for node in function.node_def if "PartitionedCall" in node.op]:
                called = call.attr["f"].func.name
                call.op = called
                call.attr.clear()
                old, new = f"{call.name}:output:", f"{call.name}:{result[called]}:"
                for node in function.node_def:
                    node.input[:] = [name.replace(old, new) for name in node.input]
                for key, name in list(function.ret.items()):
                    function.ret[key] = name.replace(old, new)
                calls += 1
        self.assertGreater(calls, 0)
        file.write_bytes(message.SerializeToString())
        with tf.Graph().as_default(), tf.Session() as session:
            loaded = tf.saved_model.load_v2(self.folder)
            self.assertEqual(session.run(loaded.f(tf.constant(2.0))), 7)

    def test_two_of_them_stay_apart(self):
        with tf.Graph().as_default(), tf.Session() as session:
            one, other = (tf.saved_model.load_v2(str(RECORDED / "module")) for _ in range(2))
            session.run(tf.global_variables_initializer())
            session.run(one.v.assign(0.0))
            found = [each.scale(tf.constant([1.0]))["o"] for each in (one, other)]
            self.assertAllClose(session.run(found), [[3.0], [13.0]])

    def test_the_only_function_with_a_signature_is_served(self):
        module = tf.Module()
        module.double = tf.function(lambda x: 2.0 * x, input_signature=[tf.TensorSpec([None])])
        with tf.Session():
            tf.saved_model.save(module, self.folder)
        loaded = tf.saved_model.load_v2(self.folder, tags="serve")
        found = loaded.signatures["serving_default"](tf.constant([1.0]))
        self.assertAllClose(self.evaluate(found), {"output_0": [2.0]})

    def test_graphs_without_objects_have_signatures(self):
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.float32, [None], name="x")
            w = tf.Variable(3.0, name="w")
            session.run(w.initializer)
            tf.saved_model.simple_save(session, self.folder, {"x": x}, {"y": x * w})
        with tf.Graph().as_default(), tf.Session() as session:
            loaded = tf.saved_model.load_v2(self.folder)
            found = loaded.signatures["serving_default"](x=tf.constant([2.0]))
            pruned = loaded.prune("x:0", {"y": "mul:0"})(tf.constant([4.0]))
            self.assertEqual(len(loaded.variables), 1)
            session.run(tf.global_variables_initializer())
            self.assertAllClose(session.run(found), {"y": [6.0]})
            self.assertAllClose(session.run(pruned), {"y": [12.0]})

    def test_errors(self):
        folder = str(RECORDED / "module")
        loaded = tf.saved_model.load_v2(folder)
        for arguments in ((tf.constant([1]),), (tf.constant([[1.0]]),), ()):
            with self.assertRaisesRegex(ValueError, "incompatible with input_signature"):
                loaded.scale(*arguments)
        with self.assertRaisesRegex(ValueError, "(?s)Could not find matching.*2 option"):
            loaded.flip(tf.constant([1.0]), flag=True)
        with self.assertRaisesRegex(TypeError, r"Missing: \['b'\]"):
            loaded.signatures["two"](first=tf.constant(1.0))
        with self.assertRaisesRegex(ValueError, "incompatible argument tags"):
            tf.saved_model.load_v2(folder, tags=["train"])
        with self.assertRaisesRegex(OSError, "SavedModel file does not exist"):
            tf.saved_model.load_v2(self.folder)
        module, given = tf.Module(), tf.placeholder(tf.float32, [])
        module.add = tf.function(lambda x: x + given, input_signature=[tf.TensorSpec([])])
        with self.assertRaisesRegex(ValueError, "not a simple constant"):
            tf.saved_model.save(module, self.folder)
        other = tf.Variable(1.0)
        module.add = tf.function(lambda x: x + other, input_signature=[tf.TensorSpec([])])
        with self.assertRaisesRegex(AssertionError, "untracked object"):
            tf.saved_model.save(module, self.folder)
        with self.assertRaisesRegex(ValueError, "Trackable"):
            tf.saved_model.save(3, self.folder)
        nested = tf.function(lambda x: [[x]], input_signature=[tf.TensorSpec([])])
        with self.assertRaisesRegex(ValueError, "non-flat"):
            tf.saved_model.save(tf.Module(), self.folder, signatures=nested)

    def test_damaged_files_are_errors(self):
        data = bytearray((RECORDED / "module" / "saved_model.pb").read_bytes())
        random = np.random.RandomState(0)
        os.makedirs(os.path.join(self.folder, "variables"))
        for path in (RECORDED / "module" / "variables").iterdir():
            pathlib.Path(self.folder, "variables", path.name).write_bytes(path.read_bytes())
        for _ in range(60):
            damaged = bytearray(data)
            for place in random.randint(0, len(data), 8):
                damaged[place] = random.randint(256)
            pathlib.Path(self.folder, "saved_model.pb").write_bytes(damaged)
            with tf.Graph().as_default():
                try:
                    tf.saved_model.load_v2(self.folder)
                except (OSError, ValueError, RuntimeError, tf.errors.OpError):
                    pass  # NotImplementedError is a RuntimeError


if __name__ == "__main__":
    tf.test.main()
