"""Generators, whose state is a variable."""

import unittest

import numpy as np

import troupe as tf
from troupe.random import experimental


def run(*tensors):
    """The tensors' values, one step each."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [session.run(each) for each in tensors]


class GeneratorsTest(tf.test.TestCase):
    def test_a_draw_moves_the_state_on_and_the_same_seed_draws_the_same(self):
        generators = [experimental.Generator.from_seed(7) for _ in range(2)]
        one, other = (each.uniform([3]) for each in generators)
        first, state, second, same = run(one, generators[0].state, one, other)
        self.assertAllEqual(state, [7 + 3 * 256, 0, 0])
        self.assertAllEqual(first, same)
        self.assertNotAllClose(first, second)

    def test_numbers_are_those_of_tensorflow(self):
        generator = experimental.Generator.from_seed(42)
        ints = generator.uniform([9], -5, 100, dtype=tf.int32)
        longs = generator.uniform([9], -5, 100, dtype=tf.int64)
        self.assertAllEqual(
            run(ints, longs)[0], [58, 82, 46, 88, 1, 61, 26, 97, 32]
        )
        seeds = experimental.Generator.from_seed(3).make_seeds(2)
        self.assertAllEqual(
            run(seeds)[0], [[7657373526131797801, 7872641813117997903], [0, 0]]
        )

    def test_distributions_have_the_dtypes_and_moments_that_are_asked_for(self):
        generator = experimental.Generator.from_state([1, 2, 3], 1)
        normal = generator.normal([5000], mean=2.0, stddev=3.0, dtype=tf.float64)
        truncated = generator.truncated_normal([5000])
        binomial = generator.binomial([5000], counts=40.0, probs=0.25, dtype=tf.int64)
        everything = generator.uniform_full_int([10], dtype=tf.uint32)
        a, b, c, d = run(normal, truncated, binomial, everything)
        self.assertNear(a.mean(), 2, 0.2)
        self.assertNear(a.std(), 3, 0.2)
        self.assertLess(np.abs(b).max(), 2)
        self.assertNear(c.mean(), 10, 0.3)
        self.assertEqual((c.dtype, d.dtype), (np.int64, np.uint32))

    def test_binomial_numbers_of_bounds_and_vectors(self):
        generator = experimental.Generator.from_seed(5)
        counts, probs = [4.0, 9.0, 0.0, 5.0], [1.0, 0.0, 0.5, float("nan")]
        drawn = run(generator.binomial([4, 2], counts, probs, dtype=tf.float32))[0]
        self.assertAllEqual(drawn[:3], [[4, 4], [0, 0], [0, 0]])
        self.assertTrue(np.isnan(drawn[3]).all())
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "one element or 3"):
            run(generator.binomial([3], [1.0, 2.0], 0.5))

    def test_states_of_seeds_keys_and_counters(self):
        create = experimental.create_rng_state
        self.assertAllEqual(create(5, 1), [5, 0, 0])
        self.assertAllEqual(create(2**64 + 3, 2), [3, 1])
        self.assertAllEqual(create([1, 2], 1), [0, 1, 2])
        self.assertAllEqual(create([1, 2, 3, 4], 1), [1, 2, 3])
        with self.assertRaisesRegex(ValueError, "Unsupported algorithm"):
            create(5, 3)
        generator = experimental.Generator.from_key_counter(9, [2**63, 1], 1)
        state, key = run(generator.state, generator.key)
        self.assertAllEqual(state, [-(2**63), 1, 9])
        self.assertEqual(key, 9)

    def test_a_skip_is_as_so_many_draws(self):
        one, other = (experimental.Generator.from_seed(3) for _ in range(2))
        drawn, skipped = one.normal([5]), other.skip(5)
        self.assertAllEqual(*run(drawn, skipped, one.state, other.state)[2:])

    def test_states_without_a_kernel_and_wrong_ones_are_errors(self):
        threefry = experimental.Generator.from_seed(3, alg=2)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "3 numbers"):
            run(threefry.normal([2]))
        with self.assertRaisesRegex(ValueError, "maxval"):
            threefry.uniform([2], dtype=tf.int32)

    def test_numbers_that_nobody_can_tell_differ(self):
        op = tf.raw_ops.NonDeterministicInts
        one, other = run(op(shape=[4], dtype=tf.int64), op(shape=[4], dtype=tf.int64))
        self.assertNotEqual(one.tolist(), other.tolist())

    def test_there_is_one_global_generator_until_another_is_set(self):
        self.assertIs(
            experimental.get_global_generator(), experimental.get_global_generator()
        )
        own = experimental.Generator.from_seed(1)
        experimental.set_global_generator(own)
        self.assertIs(experimental.get_global_generator(), own)

    def test_a_state_may_begin_with_its_algorithm(self):
        state = tf.get_variable("state", initializer=np.int64([1, 3, 4, 5]), use_resource=True)
        drawn = tf.raw_ops.StatefulStandardNormal(resource=state.handle, shape=[6])
        plain = experimental.Generator.from_state([3, 4, 5], 1).normal([6])
        one, after, other = run(drawn, state, plain)
        self.assertAllClose(one, other)
        self.assertAllEqual(after, [1, 3 + 6 * 256, 4, 5])


if __name__ == "__main__":
    unittest.main()
