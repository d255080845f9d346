"""Connected parts of images, against a search in Python."""

import unittest

import numpy as np

import troupe as tf

connected_components = tf.contrib.image.connected_components


def evaluated(value, feeds=None):
    with tf.Session() as session:
        return session.run(value, feeds)


def searched(images):
    """The parts, each found from its first pixel."""
    found, count = np.zeros(images.shape, np.int32), 0
    for start in np.ndindex(images.shape):
        if found[start] or not images[start]:
            continue
        count += 1
        unseen, found[start] = [start], count
        while unseen:
            i, y, x = unseen.pop()
            for place in ((i, y - 1, x), (i, y + 1, x), (i, y, x - 1), (i, y, x + 1)):
                is_inside = all(0 <= at < size for at, size in zip(place, images.shape))
                if is_inside and not found[place] and images[place] == images[start]:
                    found[place] = count
                    unseen.append(place)
    return found


class ConnectedComponentsTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_parts_of_all_images_are_numbered_by_their_first_pixels(self):
        random = np.random.RandomState(4)
        for share in (0.3, 0.6, 0.8):
            images = random.rand(3, 17, 23) < share
            found = evaluated(connected_components(images))
            np.testing.assert_array_equal(found, searched(images))
            self.assertEqual(found.dtype, np.int32)

    def test_parts_are_of_one_value(self):
        images = np.random.RandomState(5).randint(0, 3, (2, 9, 8))
        np.testing.assert_array_equal(evaluated(connected_components(images)), searched(images))
        texts = np.array([["a", "a", "", "b"], ["c", "a", "b", "b"]])
        self.assertEqual(
            evaluated(connected_components(texts)).tolist(), [[1, 1, 0, 2], [3, 1, 2, 2]]
        )

    def test_long_ways_are_one_part(self):
        snake = np.zeros((21, 21), bool)
        snake[::2] = True
        for i in range(10):
            snake[2 * i + 1, -1 if i % 2 else 0] = True
        for image in (snake, snake.T, snake[::-1, ::-1]):
            found = evaluated(connected_components(image))
            np.testing.assert_array_equal(found, image)

    def test_images_may_be_all_or_nothing(self):
        for value in (np.zeros, np.ones):
            found = evaluated(connected_components(value((2, 4, 5), bool)))
            np.testing.assert_array_equal(found, searched(value((2, 4, 5), bool)))
        self.assertEqual(evaluated(connected_components(np.ones((0, 3), bool))).shape, (0, 3))

    def test_sizes_may_be_known_in_a_step_only(self):
        fed = tf.placeholder(tf.bool, [None, None])
        found = connected_components(fed)
        self.assertEqual(found.shape.as_list(), [None, None])
        self.assertEqual(evaluated(found, {fed: [[True, False, True]]}).tolist(), [[1, 0, 2]])

    def test_other_ranks_are_errors(self):
        for shape in ([3], [1, 2, 3, 1], None):
            with self.assertRaises(TypeError):
                connected_components(tf.placeholder(tf.bool, shape))


if __name__ == "__main__":
    unittest.main()
