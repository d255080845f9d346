import numpy as np
from recorder import array

BOXES = array([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11],
               [1, 11.1, 0, 10.1], [0, 100, 1, 101], [0.5, 0.5, 0.5, 2]], "float32")
SCORES = array([0.9, 0.75, 0.6, 0.95, 0.5, 0.3, 0.2], "float32")


def f(value, dtype="float32"):
    return array(value, dtype)


def i(value):
    return array(value, "int32")


def suppression(r):
    for most in [0, 1, 3, 30]:
        for threshold in [0.01, 0.5, 0.85, 1.0]:
            r.call("NonMaxSuppression", BOXES, SCORES, i(most), iou_threshold=threshold,
                   known_shape=False)
            r.call("NonMaxSuppressionV2", BOXES, SCORES, i(most), f(threshold), known_shape=False)
    halves = BOXES.astype("float16"), SCORES.astype("float16")
    for scores, least in [(SCORES, 0.55), (SCORES, -1.0), (SCORES * 0 + 0.5, 0.1)]:
        args = i(3), f(0.5), f(least)
        r.call("NonMaxSuppressionV3", BOXES, scores, *args, known_shape=False)
        for pads in [False, True]:
            attrs = dict(pad_to_max_output_size=pads, known_shape=False)
            r.call("NonMaxSuppressionV4", BOXES, scores, i(9), *args[1:], **attrs)
            # Since TensorFlow 2, boxes with a sigma are not left out whatever their overlap is.
            for sigma, most in [(0.0, 0.5), (0.5, 1.0)]:
                r.call("NonMaxSuppressionV5", BOXES, scores, i(9), f(most), args[2], f(sigma),
                       tolerance=1e-5, **attrs)
    out = [i([3, 0, 5])]
    r.call("NonMaxSuppressionV2", *halves, i(3), f(0.5, "float16"), outputs=out, known_shape=False,
           T_threshold="float16")
    r.call("NonMaxSuppressionV3", *halves, i(3), f(0.5), f(0.1), outputs=out, known_shape=False)
    r.call("NonMaxSuppressionV5", *halves, *[i(3), f(0.5, "float16"), f(0.1, "float16")],
           f(0, "float16"), outputs=[out[0], halves[1][[3, 0, 5]], i(3)], known_shape=False)
    nan = array([float("nan"), float("inf"), float("-inf"), 1], "float32")
    r.call("NonMaxSuppressionV2", BOXES[:4], nan, i(4), f(0.5), outputs=[i([1, 3])],
           known_shape=False)
    r.call("NonMaxSuppression", BOXES[:0], SCORES[:0], i(4), known_shape=False)
    for least in [0.0, 0.55]:
        matrix = np.abs(np.subtract.outer(SCORES, SCORES)) < 0.2
        r.call("NonMaxSuppressionWithOverlaps", matrix.astype("float32"), SCORES, i(4), f(0.5),
               f(least), known_shape=False)


def suppression_errors(r):
    op = "NonMaxSuppressionV5"
    args = [BOXES, SCORES, i(3), f(0.5), f(0.1), f(0.2)]

    def wrong(index, value, says):
        r.error(op, *args[:index], value, *args[index + 1:], says=says)

    wrong(0, BOXES[:, :3], "4")
    wrong(0, BOXES[0], "4")
    wrong(1, SCORES[1:], "7")
    wrong(2, i(-1), "-1")
    wrong(2, i([1]), "[1]")
    wrong(3, f(1.5), "iou_threshold")
    wrong(3, f(float("nan")), "iou_threshold")
    wrong(4, f([0.5]), "[1]")
    wrong(5, f(-1.0), "soft_nms_sigma")
    r.error("NonMaxSuppressionWithOverlaps", np.zeros((2, 3), "float32"), SCORES[:2], i(4), f(0.5),
            f(0), says="square")
    r.error("NonMaxSuppression", BOXES, SCORES, i(1), iou_threshold=-0.5, says="iou_threshold")


def combined_suppression(r):
    op = "CombinedNonMaxSuppression"
    random = np.random.RandomState(5)
    scores = array(random.rand(2, 7, 3), "float32")
    of_all = array(np.stack([BOXES, BOXES[::-1] / 10])[:, :, None], "float32")
    of_each = array(of_all + random.rand(1, 1, 3, 1) / 5, "float32")
    for boxes in [of_all, of_each]:
        for most_each, most in [(2, 4), (1, 9), (7, 30), (2**31 - 1, 1)]:
            for pads in [False, True]:
                r.call(op, boxes, scores, i(most_each), i(most), f(0.5), f(0.3),
                       pad_per_class=pads, clip_boxes=not pads, known_shape=False)
    r.call(op, of_all, scores, i(3), i(5), f(0.0), f(-np.inf), known_shape=False)
    r.call(op, of_all, scores, i(3), i(5), f(1.0), f(0.9), known_shape=False)
    equal = np.ones_like(scores)  # of equal scores the first box, and the first class, comes first
    r.call(op, of_all, equal, i(9), i(1), f(0.5), f(0.0), known_shape=False, outputs=[
        of_all[:, :1, 0].clip(0, 1), f([[1], [1]]), f([[0], [0]]), i([1, 1])])
    none = [np.zeros((2, 2, 4), "f4"), np.zeros((2, 2), "f4"), np.zeros((2, 2), "f4"), i([0, 0])]
    r.call(op, of_all, scores * np.nan, i(9), i(2), f(0.5), f(0.0), outputs=none, known_shape=False)
    r.call(op, of_all[:, :0], scores[:, :0], i(9), i(2), f(0.5), f(0.0), outputs=none,
           known_shape=False)
    classes = 2**40
    r.call(op, np.zeros((2, 0, 1, 4), "f4"), np.zeros((2, 0, classes), "f4"), i(9), i(2), f(0.5),
           f(0.0), outputs=none, known_shape=False)
    args = [of_all, scores, i(2), i(4), f(0.5), f(0.1)]

    def wrong(index, value, says):
        r.error(op, *args[:index], value, *args[index + 1:], says=says)

    wrong(0, of_all[0], "'boxes' must have the shape")
    wrong(0, of_all[..., :3], "'boxes' must have the shape")
    wrong(0, of_each[:, :, :2], "'scores' must have the shape")
    wrong(1, scores[:, 1:], "'scores' must have the shape")
    wrong(1, scores[:1], "'scores' must have the shape")
    wrong(1, scores[0], "'scores' must have the shape")
    wrong(2, i(-1), "'max_output_size_per_class' must be at least 0")
    wrong(3, i(0), "'max_total_size' must be at least 1")
    wrong(3, i([1]), "[1]")
    wrong(4, f(1.5), "'iou_threshold' must be in [0, 1]")
    wrong(5, f([0.5]), "[1]")


def drawing(r):
    boxes = array([[[0.1, 0.2, 0.8, 0.6], [-0.5, 0.3, 0.5, 1.7], [0, 0, 1, 1]],
                   [[0.9, 0.1, 0.2, 0.4], [1.5, 1.5, 2, 2], [-1, -1, 2, 2]]], "float32")
    for channels in [1, 3, 4]:
        x = array(np.arange(2 * 5 * 6 * channels).reshape(2, 5, 6, channels) / 100, "float32")
        r.call("DrawBoundingBoxes", x, boxes)
        r.call("DrawBoundingBoxesV2", x, boxes, np.zeros((0, channels), "float32"))
        colours = array([[0.1, 0.2, 0.3, 0.4], [5, 6, 7, 8]], "float32")
        r.call("DrawBoundingBoxesV2", x, boxes, colours)
        r.call("DrawBoundingBoxes", x.astype("float16"), boxes)
    r.call("DrawBoundingBoxes", x, boxes[:, :0], outputs=[x])
    r.call("DrawBoundingBoxes", x[:0], boxes[:0], outputs=[x[:0]])
    wild = array([[[float("nan"), 0, 1, 1], [0, 1e30, 1, float("inf")]]] * 2, "float32")
    r.call("DrawBoundingBoxes", x, wild, outputs=[x])
    r.error("DrawBoundingBoxes", x[..., :2], boxes, says="1, 3 or 4 channels")
    r.error("DrawBoundingBoxes", x[0], boxes, says="[5,6,4]")
    r.error("DrawBoundingBoxes", x, boxes[:1], says="[1,3,4]")
    r.error("DrawBoundingBoxes", x, boxes[..., :3], says="4")
    r.error("DrawBoundingBoxesV2", x, boxes, colours[0], says="[4]")
    r.error("DrawBoundingBoxesV2", x, boxes, colours[:, :3], says="colors")


def sampling(r):
    objects = array([[[0.1, 0.2, 0.7, 0.8], [0, 0, 0.3, 0.2]]], "float32")
    for seed, dtype in enumerate(["uint8", "int8", "int16", "int32", "int64"]):
        size = array([60, 80, 3], dtype)
        r.call("SampleDistortedBoundingBox", size, objects, seed=3 + seed, seed2=11)
        r.call("SampleDistortedBoundingBoxV2", size, objects, f(0.5), seed=3 + seed, seed2=12)
    size = array([60, 80, 3], "int32")
    for seed in range(6):
        r.call("SampleDistortedBoundingBoxV2", size, objects, f(0.2), seed=20 + seed, seed2=5,
               area_range=[0.2, 0.6], aspect_ratio_range=[0.4, 2.5])
    r.call("SampleDistortedBoundingBoxV2", size, objects, f(1), seed=2, seed2=5, max_attempts=1)
    r.call("SampleDistortedBoundingBoxV2", size, objects[:, :0], f(0.2), seed=2, seed2=6,
           use_image_if_no_bounding_boxes=True)
    op = "SampleDistortedBoundingBoxV2"
    seeds = dict(seed=2, seed2=5)
    r.error(op, size, objects[:, :0], f(0.2), says="no bounding boxes", **seeds)
    r.error(op, size[:2], objects, f(0.2), says="3", **seeds)
    r.error(op, -size, objects, f(0.2), says="-60", **seeds)
    r.error(op, size, objects * 2, f(0.2), says="[0, 1]", **seeds)
    r.error(op, size, objects[0], f(0.2), says="4", **seeds)
    r.error(op, size, objects, f(-0.2), says="min_object_covered", **seeds)
    r.error(op, size, objects, f(0.2), says="area_range", area_range=[0.5, 1.5], **seeds)
    r.error(op, size, objects, f(0.2), says="aspect_ratio_range", aspect_ratio_range=[1.0], **seeds)
    r.error(op, size, objects, f(0.2), says="max_attempts", max_attempts=0, **seeds)
    r.error("SampleDistortedBoundingBox", size, objects, says="min_object_covered",
            min_object_covered=-1.0, **seeds)


def glimpses(r):
    x = array(np.arange(2 * 5 * 6 * 2).reshape(2, 5, 6, 2), "float32")
    none = dict(noise="zero", uniform_noise=False)
    for centered, normalized, offsets in [
            (True, True, [[0, 0], [0.9, -0.7]]), (True, False, [[1, -2], [3, 9]]),
            (False, True, [[0.5, 0.5], [1, 0]]), (False, False, [[-20, 3], [2, 5.5]])]:
        for size in [i([3, 2]), i([7, 8])]:
            r.call("ExtractGlimpse", x, size, f(offsets), centered=centered, normalized=normalized,
                   **none)
    r.call("ExtractGlimpse", x, i([2, 2]), f([[0, 0], [0.1, 0.1]]))
    far = f([[float("nan"), 0], [1e30, float("-inf")]])
    r.call("ExtractGlimpse", x, i([2, 2]), far, outputs=[np.zeros((2, 2, 2, 2), "f4")], **none)
    r.call("ExtractGlimpse", x, i([0, 2]), far, outputs=[np.zeros((2, 0, 2, 2), "f4")], **none)
    far = f([[0, 0], [0, 0]])
    r.error("ExtractGlimpse", x[0], i([2, 2]), far, says="[5,6,2]")
    r.error("ExtractGlimpse", x, i([2]), far, says="2")
    r.error("ExtractGlimpse", x, i([2, -3]), far, says="-3")
    r.error("ExtractGlimpse", x, i([2, 2]), far[:1], says="2")
    r.error("ExtractGlimpse", x, i([2, 2]), far, says="exclude", noise="zero")
    r.error("ExtractGlimpse", x, i([2, 2]), far, says="noise", noise="pink", uniform_noise=False)


def record(r):
    suppression(r)
    suppression_errors(r)
    combined_suppression(r)
    drawing(r)
    sampling(r)
    glimpses(r)
