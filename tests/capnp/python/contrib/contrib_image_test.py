"""Images that are turned, moved and warped, against loops over their pixels."""

import math
import unittest

import numpy as np

import troupe as tf

image = tf.contrib.image
random = np.random.RandomState(7)
IMAGES = (random.rand(2, 5, 6, 2) * 200).round(1)
# None of the places is in the middle between pixels, where the dtype of numbers decides.
TRANSFORMS = np.array(
    [
        [0.913, -0.287, 1.213, 0.217, 1.123, -0.419, 0.0113, -0.0213],
        [1.523, 0.417, -1.031, 0.1013, 0.817, 0.613, 0.0, 0.0517],
    ]
)


def pixel(picture, row, column):
    """A pixel, or zeros beyond the picture."""
    height, width = picture.shape[:2]
    is_inside = 0 <= row < height and 0 <= column < width
    return picture[row, column] if is_inside else np.zeros(picture.shape[2])


def nearest(picture, y, x):
    away = lambda number: int(math.copysign(math.floor(abs(number) + 0.5), number))
    return pixel(picture, away(y), away(x))


def bilinear(picture, y, x):
    top, left = math.floor(y), math.floor(x)
    return sum(
        (1 - abs(y - row)) * (1 - abs(x - column)) * pixel(picture, row, column)
        for row in (top, top + 1)
        for column in (left, left + 1)
    )


def transformed(sample, height=5, width=6, transforms=TRANSFORMS, images=IMAGES):
    """The images by their transforms, pixel by pixel."""
    result = np.zeros([len(images), height, width, images.shape[3]])
    for i, picture in enumerate(images):
        a0, a1, a2, b0, b1, b2, c0, c1 = transforms[i % len(transforms)]
        for y in range(height):
            for x in range(width):
                k = c0 * x + c1 * y + 1
                place = (b0 * x + b1 * y + b2) / k, (a0 * x + a1 * y + a2) / k
                result[i, y, x] = sample(picture, *place)
    return result


class TransformsTest(tf.test.TestCase):
    def test_each_pixel_comes_from_where_the_transform_says(self):
        for mode, sample in (("NEAREST", nearest), ("bilinear", bilinear)):
            for dtype in (np.float32, np.float64, np.int32, np.int64, np.uint8):
                given = IMAGES.astype(dtype)
                wanted = transformed(sample, images=given).astype(dtype)
                found = image.transform(given, TRANSFORMS, mode)
                self.assertEqual(found.shape, IMAGES.shape)
                with self.subTest(mode=mode, dtype=dtype):
                    # A number that is nearly whole may be cut to the one below.
                    error = 1 if dtype().dtype.kind in "iu" else 1e-3
                    self.assertAllClose(self.evaluate(found), wanted, rtol=1e-4, atol=error)

    def test_the_result_has_the_sizes_that_are_given(self):
        sizes = tf.placeholder(tf.int32, [2])
        found = image.transform(IMAGES, TRANSFORMS[0], output_shape=sizes)
        wanted = transformed(nearest, 4, 7, TRANSFORMS[:1])
        with self.session() as session:
            self.assertAllClose(session.run(found, {sizes: [4, 7]}), wanted)
        known = image.transform(IMAGES[0], TRANSFORMS[0], output_shape=[4, 7])
        self.assertEqual(known.shape, [4, 7, 2])
        self.assertAllClose(self.evaluate(known), wanted[0])

    def test_images_of_rank_2_and_3_keep_it(self):
        wanted = transformed(nearest)[0]
        three = image.transform(IMAGES[0], TRANSFORMS[0])
        two = image.transform(IMAGES[0, :, :, 1], TRANSFORMS[0])
        self.assertAllClose(self.evaluate(three), wanted)
        self.assertAllClose(self.evaluate(two), wanted[:, :, 1])
        self.assertEqual(two.shape, [5, 6])

    def test_places_beyond_all_numbers_have_no_image(self):
        far = [1e30, 0, 0, 0, 1, 0, 0, 0], [1, 0, 0, 0, 1, 0, -1, 0]
        for transforms in far:
            found = self.evaluate(image.transform(np.ones([1, 4]), transforms))
            self.assertAllEqual(found, [[1, 0, 0, 0]])

    def test_quarters_of_a_turn_are_counterclockwise(self):
        given = np.arange(12.0).reshape(3, 4)
        square = np.arange(9).reshape(3, 3)
        for mode in ("NEAREST", "BILINEAR"):
            half = image.rotate(given, np.pi, mode)
            self.assertAllClose(self.evaluate(half), np.rot90(given, 2), atol=1e-4)
        for turns in (1, 2, 3):
            found = image.rotate(square, turns * np.pi / 2)
            self.assertAllEqual(self.evaluate(found), np.rot90(square, turns))
        each = image.rotate(np.stack([square, square])[..., None], [0.0, np.pi / 2])
        self.assertAllEqual(self.evaluate(each)[..., 0], [square, np.rot90(square)])

    def test_images_move_right_and_down(self):
        given = np.arange(1, 13).reshape(3, 4)
        found = self.evaluate(image.translate(given, [1, -1]))
        wanted = np.zeros((3, 4))
        wanted[:2, 1:] = given[1:, :3]
        self.assertAllEqual(found, wanted)
        # Of two pixels that are as near it is the one farther from the place 0.
        nearest_one = self.evaluate(image.translate(given, [0.5, 0.0]))
        self.assertAllEqual(nearest_one, np.where(np.arange(4) == 0, 0, given))
        half = self.evaluate(image.translate(given.astype(float), [0.5, 0.0], "BILINEAR"))
        self.assertAllClose(half[:, 1:], (given[:, 1:] + given[:, :-1]) / 2)
        self.assertAllClose(half[:, 0], given[:, 0] / 2)

    def test_composed_transforms_are_applied_in_order(self):
        one = image.angles_to_projective_transforms(0.3, 5, 6)
        other = image.translations_to_projective_transforms([[1.0, -2.0]])
        composed = self.evaluate(image.compose_transforms(TRANSFORMS[:1], one, other))
        matrices = [
            np.append(row, 1).reshape(3, 3)
            for row in (TRANSFORMS[0], *self.evaluate(one), *self.evaluate(other))
        ]
        wanted = np.linalg.multi_dot(matrices).ravel()
        self.assertAllClose(composed[0], wanted[:8] / wanted[8], rtol=1e-4)
        back = image.matrices_to_flat_transforms(image.flat_transforms_to_matrices(TRANSFORMS))
        self.assertAllClose(self.evaluate(back), TRANSFORMS)
        with self.assertRaisesRegex(ValueError, "empty"):
            image.compose_transforms()

    def test_gradients_are_those_of_the_images(self):
        given = tf.constant(IMAGES)
        for mode in ("NEAREST", "BILINEAR"):
            found = image.transform(given, TRANSFORMS, mode)
            with self.cached_session():
                error = tf.test.compute_gradient_error(given, [2, 5, 6, 2], found, [2, 5, 6, 2])
            self.assertLess(error, 1e-6)
        transforms = tf.constant(TRANSFORMS, tf.float32)
        found = image.transform(given, transforms, "BILINEAR")
        self.assertEqual(tf.gradients(found, transforms), [None])

    def test_other_dtypes_ranks_and_modes_are_refused(self):
        for function, words in (
            (lambda: image.transform(["a"], TRANSFORMS[0]), "dtype"),
            (lambda: image.transform([1.0], TRANSFORMS[0]), "rank"),
            (lambda: image.transform(IMAGES, [TRANSFORMS]), "rank"),
            (lambda: image.rotate(IMAGES, [[1.0]]), "rank"),
            (lambda: image.translate(IMAGES, 1.0), "rank"),
        ):
            with self.assertRaisesRegex(TypeError, words):
                function()
        with self.assertRaisesRegex(ValueError, "NEAREST or BILINEAR"):
            image.rotate(IMAGES, 1.0, "CUBIC")
        with self.assertRaisesRegex(ValueError, "a height and a width"):
            image.transform(IMAGES, TRANSFORMS, output_shape=[1, 2, 3])


class SplineTest(tf.test.TestCase):
    points = random.rand(2, 6, 2)
    values = random.rand(2, 6, 3)
    queries = random.rand(2, 4, 2)

    def spline(self, order, weight):
        """The spline by its conditions, one batch after the other."""
        def phi(r):
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.nan_to_num(r**order * (1 if order % 2 else np.log(r)), neginf=0.0)

        results = []
        for c, f, q in zip(self.points, self.values, self.queries):
            apart = lambda x: np.linalg.norm(x[:, None] - c[None], axis=2)
            straight = np.append(c, np.ones((6, 1)), 1)
            curved = phi(apart(c)) + weight * np.eye(6)
            matrix = np.block([[curved, straight], [straight.T, np.zeros((3, 3))]])
            solved = np.linalg.solve(matrix, np.append(f, np.zeros((3, 3)), 0))
            linear = np.append(q, np.ones((4, 1)), 1) @ solved[6:]
            results.append(phi(apart(q)) @ solved[:6] + linear)
        return results

    def test_splines_solve_their_system_of_equations(self):
        for order in (1, 2, 3, 4):
            for weight in (0.0, 0.1):
                found = image.interpolate_spline(
                    self.points, self.values, self.queries, order, weight
                )
                self.assertEqual(found.shape, [2, 4, 3])
                with self.subTest(order=order, weight=weight):
                    wanted = self.spline(order, weight)
                    self.assertAllClose(self.evaluate(found), wanted, rtol=1e-3, atol=1e-4)

    def test_splines_go_through_their_points(self):
        found = image.interpolate_spline(self.points, self.values, self.points, 2)
        self.assertAllClose(self.evaluate(found), self.values, atol=1e-6)

    def test_splines_have_gradients_at_their_points(self):
        points = tf.constant(self.points)
        for order in (1, 2, 3):
            found = image.interpolate_spline(points, self.values, points, order)
            for gradient in tf.gradients(found, [points]):
                self.assertTrue(np.isfinite(self.evaluate(gradient)).all())

    def test_the_number_of_axes_must_be_known(self):
        with self.assertRaisesRegex(ValueError, "must be known"):
            image.interpolate_spline(
                tf.placeholder(tf.float32, [1, 4, None]), np.zeros([1, 4, 1]), [[[0.0]]], 2
            )


class WarpsTest(tf.test.TestCase):
    def test_pixels_come_from_where_the_flow_says(self):
        flow = random.randn(2, 5, 6, 2) * 3
        wanted = np.zeros_like(IMAGES)
        for i, picture in enumerate(IMAGES):
            for y in range(5):
                for x in range(6):
                    row = min(max(y - flow[i, y, x, 0], 0), 4)
                    column = min(max(x - flow[i, y, x, 1], 0), 5)
                    wanted[i, y, x] = bilinear(picture, row, column)
        found = image.dense_image_warp(IMAGES, flow)
        self.assertEqual(found.shape, IMAGES.shape)
        self.assertAllClose(self.evaluate(found), wanted, atol=1e-4)
        given = tf.placeholder(tf.float64, [None] * 4)
        moves = tf.placeholder(tf.float32, [None] * 4)
        with self.session() as session:
            fed = {given: IMAGES, moves: flow}
            later = session.run(image.dense_image_warp(given, moves), fed)
            self.assertAllClose(later, wanted, atol=1e-3)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "2 wide"):
                fed = {given: np.ones([1, 3, 1, 1]), moves: np.zeros([1, 3, 1, 2])}
                session.run(image.dense_image_warp(given, moves), fed)

    def test_warps_have_gradients(self):
        given = tf.constant(IMAGES)
        flow = tf.constant(random.rand(2, 5, 6, 2) * 0.8 + 0.1)
        found = image.dense_image_warp(given, flow)
        with self.cached_session():
            for x in (given, flow):
                shape = x.shape.as_list()
                error = tf.test.compute_gradient_error(x, shape, found, [2, 5, 6, 2])
                self.assertLess(error, 1e-4)

    def test_images_that_are_too_small_are_refused(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "at least 2"):
            image.dense_image_warp(np.ones([1, 1, 3, 1]), np.zeros([1, 1, 3, 2]))

    def test_points_move_to_where_they_are_wanted(self):
        picture = np.zeros([1, 7, 8, 1])
        picture[0, 2, 3] = 1.0
        sources = np.array([[[2.0, 3.0], [0.0, 0.0], [6.0, 0.0], [6.0, 7.0]]])
        targets = sources + np.array([[[2.0, 1.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]])
        for order in (1, 2):
            found, flow = self.evaluate(image.sparse_image_warp(picture, sources, targets, order))
            self.assertAllClose(found[0, 4, 4], [1.0], atol=1e-5)
            self.assertAllClose(flow[0, 4, 4], [2.0, 1.0], atol=1e-5)
            self.assertAllClose(flow[0, 0, 0], [0.0, 0.0], atol=1e-5)

    def test_points_of_the_border_stay(self):
        sources = np.array([[[2.0, 3.0]]])
        for count, fixed in ((1, [(0, 0), (0, 7), (6, 7)]), (2, [(0, 0), (3, 0), (3, 7)])):
            warped = image.sparse_image_warp(
                np.ones([1, 7, 8, 1]), sources, sources + 1.0, num_boundary_points=count
            )
            flow = self.evaluate(warped[1])
            for y, x in fixed:
                self.assertAllClose(flow[0, y, x], [0.0, 0.0], atol=1e-5)
            self.assertAllClose(flow[0, 3, 4], [1.0, 1.0], atol=1e-5)
        with self.assertRaisesRegex(ValueError, "must be known"):
            image.sparse_image_warp(tf.placeholder(tf.float32, [None, 2, 2, 1]), sources, sources)

    def test_rows_and_columns_are_matched_the_nearest_first(self):
        distances = np.array([[0.4, 0.8, 0.1], [0.3, 0.2, 0.05], [0.6, 0.1, 0.9]], np.float32)
        for rows, most, row_matches, column_matches in (
            (3, -1, [0, 2, 1], [0, 2, 1]),
            (-1, -1, [0, 2, 1], [0, 2, 1]),
            (3, 2, [-1, 2, 1], [-1, 2, 1]),
            (1, -1, [2, -1, -1], [-1, -1, 0]),
            ([0], -1, [-1, -1, -1], [-1, -1, -1]),
        ):
            found = self.evaluate(image.bipartite_match(distances, rows, most))
            self.assertAllEqual(found[0], row_matches)
            self.assertAllEqual(found[1], column_matches)
        wide = self.evaluate(image.bipartite_match([[2.0, float("nan"), 1.0]], -1))
        self.assertAllEqual(wide[0], [2])
        self.assertAllEqual(wide[1], [-1, -1, 0])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "only 3 rows"):
            self.evaluate(image.bipartite_match(distances, 4))


if __name__ == "__main__":
    unittest.main()
