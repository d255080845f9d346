"""Calls of tf.image for cases.py, on constants: one picture, a batch of two, and one of bytes."""

import numpy as np


def shades(*shape):
    """Numbers in [0, 1] that are neither smooth nor random."""
    return np.abs(np.sin(np.arange(int(np.prod(shape))) * 1.7 + 0.3)).reshape(shape)


PICTURE = shades(6, 7, 3).astype(np.float32)
PICTURES = shades(2, 6, 5, 3).astype(np.float32)
OTHERS = (PICTURES * 0.9 + 0.02).astype(np.float32)
BYTES = (shades(6, 7, 3) * 255).astype(np.uint8)
BOXES = np.array(
    [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0.2, 0.3, 0.7, 0.6], [0, 3, 1, 4]], np.float32
)
SCORES = np.array([0.9, 0.75, 0.6, 0.95], np.float32)
OF_IMAGES = np.array([0, 1, 1, 0], np.int32)
OVERLAPS = np.array([[1, 0.7, 0.1], [0.7, 1, 0], [0.1, 0, 1]], np.float32)


def through(tf, path, image):
    """An image that has been in a file."""
    encode, decode = path
    return decode(encode(tf.constant(image)))


IMAGES = [
    *(f"tf.image.{name}(tf.constant({images}))" for images in ("PICTURE", "PICTURES") for name in (
        "flip_left_right", "flip_up_down", "rot90", "transpose", "per_image_standardization",
        "rgb_to_grayscale", "rgb_to_yiq", "yiq_to_rgb", "rgb_to_yuv", "yuv_to_rgb",
        "rgb_to_hsv", "hsv_to_rgb", "total_variation",
    )),
    "tf.image.sobel_edges(tf.constant(PICTURES))",
    "tf.image.image_gradients(tf.constant(PICTURES))",
    *(f"tf.image.rot90(tf.constant(PICTURE), {k})" for k in (0, 2, 3)),
    "tf.image.central_crop(tf.constant(PICTURE), 0.5)",
    "tf.image.crop_to_bounding_box(tf.constant(PICTURES), 1, 2, 3, 2)",
    "tf.image.pad_to_bounding_box(tf.constant(PICTURE), 1, 2, 8, 9)",
    "tf.image.resize_image_with_crop_or_pad(tf.constant(PICTURE), 3, 9)",
    "tf.image.resize_image_with_crop_or_pad(tf.constant(PICTURES), 8, 2)",
    "tf.image.grayscale_to_rgb(tf.constant(PICTURE[..., :1]))",
    *(f"tf.image.adjust_{call})" for images in ("PICTURE", "BYTES") for call in (
        f"brightness(tf.constant({images}), 0.2", f"contrast(tf.constant({images}), 1.5",
        f"hue(tf.constant({images}), 0.1", f"saturation(tf.constant({images}), 0.5",
        f"gamma(tf.constant({images}), 0.7, 1.1",
    )),
    *(f"tf.image.convert_image_dtype(tf.constant({images}), tf.{dtype}, {saturate})"
      for images in ("PICTURE", "BYTES") for dtype in ("uint8", "int16", "float32", "float64")
      for saturate in (False, True)),
    "tf.image.psnr(tf.constant(PICTURES), tf.constant(OTHERS), 1.0)",
    "tf.image.ssim(tf.constant(PICTURES), tf.constant(OTHERS), 1.0, filter_size=4)",
    *(f"tf.image.ssim_multiscale(tf.constant({one}), tf.constant({other}), {most}, [0.4, 0.6],"
      " filter_size=2)"
      for one, other, most in (("PICTURES", "OTHERS", 1.0), ("BYTES", "BYTES[::-1]", 255))),
    "tf.image.extract_patches(tf.constant(PICTURES), [1, 2, 3, 1], [1, 2, 2, 1], [1, 1, 2, 1],"
    " 'SAME')",
    *(f"tf.image.resize_image_with_pad(tf.constant({image}), {size}, {options})"
      for image, size, options in (
          ("PICTURE", "4, 4", "1"), ("PICTURES", "9, 5", "0"), ("BYTES", "5, 12", "2, True"),
      )),
    *(f"tf.image.resize_images(tf.constant({images}), [4, 9], {method})"
      for images in ("PICTURE", "PICTURES", "BYTES") for method in range(4)),
    "tf.image.resize_images(tf.constant(PICTURE), [6, 7])",
    "tf.image.resize_images(tf.constant(PICTURE), [12, 9], preserve_aspect_ratio=True)",
    "tf.image.resize_bilinear(tf.constant(PICTURES), [4, 9], half_pixel_centers=True)",
    "tf.image.resize_bicubic(tf.constant(PICTURES), [4, 9], align_corners=True)",
    "tf.image.crop_and_resize(tf.constant(PICTURES), BOXES, OF_IMAGES, [2, 3])",
    "tf.image.non_max_suppression(BOXES, SCORES, 3)",
    "tf.image.non_max_suppression(BOXES, SCORES, 3, 0.95, 0.7)",
    "tf.image.non_max_suppression_with_scores(BOXES, SCORES, 3, soft_nms_sigma=0.5)",
    "tf.image.non_max_suppression_overlaps(OVERLAPS, SCORES[:3], 3)",
    *("tf.image.combined_non_max_suppression(BOXES.reshape(1, 4, 1, 4), np.stack([SCORES, "
      f"SCORES[::-1]], 1)[None], 2, {total}, {options})"
      for total, options in ((3, "0.3"), (9, "0.95, 0.65, True, False"))),
    "tf.image.draw_bounding_boxes(tf.constant(PICTURES), BOXES.reshape(2, 2, 4))",
    "through(tf, (tf.image.encode_png, tf.image.decode_png), BYTES)",
    "through(tf, (tf.image.encode_png, tf.image.decode_image), BYTES)",
    "through(tf, (tf.image.encode_jpeg, tf.image.extract_jpeg_shape), BYTES)",
    "tf.image.is_jpeg(tf.image.encode_jpeg(tf.constant(BYTES)))",
]  # fmt: skip
