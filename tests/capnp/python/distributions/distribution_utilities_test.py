"""What programs import from the insides of distributions in TensorFlow's source."""

import importlib
import subprocess
import sys
import tempfile

import numpy as np

import troupe as tf
import troupe.as_tensorflow

PROGRAM = """
import tensorflow as tf
from tensorflow.contrib.distributions.python.ops import bijectors, distribution_util
from tensorflow.contrib.distributions.python.ops import autoregressive, moving_stats
from tensorflow.contrib.distributions.python.ops.bijectors.exp import Exp
from tensorflow.contrib.distributions.python.ops.bijectors.masked_autoregressive import _gen_mask
from tensorflow.contrib.distributions.python.ops.conditional_distribution import (
    ConditionalDistribution)
from tensorflow.python.ops.distributions import bijector, transformed_distribution, util
from tensorflow.python.ops.distributions.identity_bijector import Identity
assert Exp is bijectors.Exp is tf.contrib.distributions.bijectors.Exp
assert bijector.Bijector is bijectors.Bijector and Identity is bijectors.Identity
assert transformed_distribution.TransformedDistribution is (
    tf.contrib.distributions.TransformedDistribution)
assert util.fill_triangular is tf.contrib.distributions.fill_triangular
assert util.pick_vector(True, [1], [2]) == [1]
assert distribution_util.make_tril_scale is util.make_tril_scale
assert _gen_mask(2, 2, 2).tolist() == [[0, 0], [1, 0]]
print("done")
"""


def source():
    return importlib.import_module("tensorflow.python.ops.distributions.util")


class UtilitiesTest(tf.test.TestCase):
    def test_programs_find_the_modules_of_the_source(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(PROGRAM)
            file.flush()
            command = [sys.executable, "-m", "troupe", file.name]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout.strip(), "done", done.stderr)

    def test_axes_rotate(self):
        util, x = source(), tf.zeros([2, 3, 4])
        self.assertEqual(util.rotate_transpose(x, 1).shape, [4, 2, 3])
        self.assertEqual(util.rotate_transpose(x, -1).shape, [3, 4, 2])
        self.assertEqual(util.move_dimension(x, 0, -1).shape, [3, 4, 2])
        unknown, shift = tf.placeholder(tf.float32), tf.placeholder(tf.int32, [])
        found = tf.shape(util.rotate_transpose(unknown, shift))
        moved = tf.shape(util.move_dimension(unknown, -1, 0))
        with self.session() as session:
            for count, expected in ((1, [4, 2, 3]), (-1, [3, 4, 2]), (5, [3, 4, 2])):
                sizes = session.run(found, {unknown: np.zeros([2, 3, 4]), shift: count})
                self.assertAllEqual(sizes, expected)
            self.assertAllEqual(session.run(moved, {unknown: np.zeros([2, 3, 4])}), [4, 2, 3])

    def test_ends_of_axes_are_padded(self):
        util, x = source(), tf.constant([[1.0, 2.0]])
        found = util.pad(x, axis=-1, front=True, back=True, value=7.0, count=2)
        self.assertEqual(found.shape, [1, 6])
        with self.session() as session:
            self.assertAllEqual(session.run(found), [[7, 7, 1, 2, 7, 7]])
            back = util.pad(tf.placeholder_with_default([[1.0]], None), axis=0, back=True)
            self.assertAllEqual(session.run(back), [[1], [0]])
        with self.assertRaises(ValueError):
            util.pad(x, axis=0)
        with self.assertRaises(TypeError):
            util.pad(x, axis=0, back=True, count=1.5)

    def test_shapes_are_compared_in_a_step(self):
        util, x = source(), tf.placeholder(tf.float32)
        found = util.same_dynamic_shape(x, tf.zeros([2, 2]))
        with self.session() as session:
            for shape, expected in (([2, 2], True), ([2], False), ([2, 3], False), ([], False)):
                self.assertEqual(session.run(found, {x: np.zeros(shape)}), expected, shape)

    def test_scales_are_sums(self):
        util = source()
        made = util.make_tril_scale(
            scale_tril=[[1.0, 5.0], [2.0, 3.0]], scale_diag=[1.0, 2.0],
            scale_identity_multiplier=10.0,
        )  # fmt: skip
        with self.session() as session:
            self.assertAllEqual(session.run(made.to_dense()), [[12, 0], [2, 15]])
            made = util.make_diag_scale(loc=[0.0, 0.0], scale_identity_multiplier=3.0)
            self.assertAllEqual(session.run(made.to_dense()), [[3, 0], [0, 3]])
            made = util.make_diag_scale(loc=np.zeros(2))
            self.assertEqual((made.dtype, made.shape), (tf.float64, [2, 2]))
            for wrong in (0.0, -1.0):
                diagonal = tf.placeholder(tf.float32, [1])
                made = util.make_diag_scale(
                    scale_diag=diagonal, validate_args=True, assert_positive=wrong < 0
                )
                with self.assertRaises(tf.errors.InvalidArgumentError):
                    session.run(made.to_dense(), {diagonal: [wrong]})
        with self.assertRaisesRegex(ValueError, "shape_hint"):
            util.make_diag_scale(scale_identity_multiplier=3.0)

    def test_numbers_are_checked_to_fit_other_dtypes(self):
        util, x = source(), tf.placeholder(tf.float32)
        counts = tf.placeholder(tf.int32)
        checks = {
            "fractions": (util.embed_check_nonnegative_integer_form(x), x, 1.5, 2.0),
            "negative": (util.embed_check_nonnegative_integer_form(x), x, -1.0, 0.0),
            "large": (util.embed_check_integer_casting_closed(counts, tf.float16), counts, 2049,
                      2048),
            "below": (
                util.embed_check_integer_casting_closed(counts, tf.uint8, False), counts, -1, 255
            ),
            "classes": (util.embed_check_categorical_event_shape(x), x, [1.0], [1.0, 2.0]),
            "symmetric": (util.assert_symmetric(x), x, [[1.0, 2], [3, 4]], [[1.0, 2], [2, 4]]),
        }  # fmt: skip
        with self.session() as session:
            for name, (node, key, wrong, right) in checks.items():
                with self.subTest(name):
                    self.assertAllEqual(session.run(node, {key: right}), right)
                    with self.assertRaises(tf.errors.InvalidArgumentError):
                        session.run(node, {key: wrong})
        with self.assertRaises(TypeError):
            util.embed_check_integer_casting_closed(x, tf.float16)

    def test_statistics_of_mixtures(self):
        util = source()
        found = util.mixture_stddev(
            tf.constant([[0.25, 0.75]]), tf.constant([[0.0, 4.0]]), tf.constant([[1.0, 2.0]])
        )
        # E[x^2] is 0.25 + 0.75 (4 + 16), and E[x] is 3.
        with self.session() as session:
            self.assertAllClose(session.run(found), [np.sqrt(15.25 - 9)])
            orders = util.log_combinations(5.0, [2.0, 3.0])
            self.assertAllClose(session.run(orders), np.log(10.0))

    def test_arguments_of_the_caller(self):
        util = source()

        def caller(first, *rest, second=2, **more):
            unused = first
            return util.parent_frame_arguments()

        found = caller(1, 5, third=3)
        self.assertEqual({key: found[key] for key in ("first", "third")}, {"first": 1, "third": 3})
        self.assertNotIn("unused", found)
        self.assertNotIn("rest", found)

    def test_seeds_differ_by_their_texts(self):
        util = source()
        self.assertIsNone(util.gen_new_seed(None, "a"))
        self.assertEqual(util.gen_new_seed(1, "a"), util.gen_new_seed(1, "a"))
        self.assertNotEqual(util.gen_new_seed(1, "a"), util.gen_new_seed(1, "b"))
        # The first digits of the MD5 sum of "1a", as in TensorFlow.
        self.assertEqual(util.gen_new_seed(1, "a"), 0x6FAA153B)


if __name__ == "__main__":
    tf.test.main()
