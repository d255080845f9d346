"""Images: sizes, colors, boxes and file formats."""

from .case import case
from .operands import boxes, floats, integers

PHOTOS = floats(8, 224, 224, 3, low=0, high=1)
ACTIVATIONS = floats(8, 112, 112, 32)
SMALL = floats(2, 112, 112, 3)


def _diagonal_stripes(tf):
    """Of 512 x 512 pixels."""
    positions = tf.range(512)
    gray = tf.floormod(tf.floordiv(positions[:, tf.newaxis] + positions, 4), 256)
    return tf.cast(tf.tile(gray[..., tf.newaxis], [1, 1, 3]), tf.uint8)


def _encoded(name):
    def build(tf):
        image = tf.get_variable("image", initializer=_diagonal_stripes(tf), use_resource=True)
        return getattr(tf.image, f"encode_{name}")(image)

    return case(build)


def _decoded(name):
    """Decodes what has been encoded once, when the variable was initialized."""

    def build(tf):
        file = getattr(tf.image, f"encode_{name}")(_diagonal_stripes(tf))
        variable = tf.get_variable("file", initializer=file, use_resource=True)
        return getattr(tf.image, f"decode_{name}")(variable)

    return case(build)


SIZES = {
    "resize_bilinear": case(lambda tf, x: tf.image.resize_bilinear(x, [224, 224]), ACTIVATIONS),
    "resize_nearest_neighbor": case(
        lambda tf, x: tf.image.resize_nearest_neighbor(x, [224, 224]), ACTIVATIONS
    ),
    "resize_bicubic": case(lambda tf, x: tf.image.resize_bicubic(x, [224, 224]), SMALL),
    "resize_area": case(lambda tf, x: tf.image.resize_area(x, [112, 112]), floats(2, 224, 224, 3)),
    "crop_and_resize": case(
        lambda tf, x, boxes, indices: tf.image.crop_and_resize(x, boxes, indices, [14, 14]),
        floats(4, 56, 56, 64),
        floats(64, 4, low=0, high=1),
        integers(64, high=4),
    ),
    "non_max_suppression": case(
        lambda tf, boxes, scores: tf.image.non_max_suppression(boxes, scores, 100),
        boxes(2000),
        floats(2000, low=0, high=1),
    ),
    "flip_left_right": case(lambda tf, x: tf.image.flip_left_right(x), PHOTOS),
}

COLORS = {
    "rgb_to_hsv": case(lambda tf, x: tf.image.rgb_to_hsv(x), PHOTOS),
    "hsv_to_rgb": case(lambda tf, x: tf.image.hsv_to_rgb(x), PHOTOS),
    "rgb_to_grayscale": case(lambda tf, x: tf.image.rgb_to_grayscale(x), PHOTOS),
    "adjust_contrast": case(lambda tf, x: tf.image.adjust_contrast(x, 1.5), PHOTOS),
    "adjust_hue": case(lambda tf, x: tf.image.adjust_hue(x, 0.1), PHOTOS),
    "per_image_standardization": case(
        lambda tf, x: tf.map_fn(tf.image.per_image_standardization, x), PHOTOS
    ),
}

FILES = {
    "decode_jpeg": _decoded("jpeg"),
    "decode_png": _decoded("png"),
    "encode_jpeg": _encoded("jpeg"),
    "encode_png": _encoded("png"),
}

CASES = {**SIZES, **COLORS, **FILES}
