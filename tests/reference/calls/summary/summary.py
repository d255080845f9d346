import numpy as np
import tensorflow as tf
from recorder import FLOATS, PLAIN, REAL, array

TF_REAL = [dtype for dtype in REAL if dtype not in ("uint32", "uint64")]
SIGNS = [[0.0, -1.5, 2.0], [1e-13, -3e21, 100.0]]


def strings(values):
    return array(values, "string")


def scalars(r):
    for dtype in TF_REAL:
        r.call("ScalarSummary", strings(b"loss"), array(3, dtype))
    r.error("ScalarSummary", strings(b"loss"), array([3.5], "float32"), says="not the same shape")
    r.call("ScalarSummary", strings([b"a", b"b/c", b""]), array([1.5, -2, np.nan], "float64"))
    r.call(
        "ScalarSummary",
        strings(b"\xff"),
        array(np.inf, "float32"),
        outputs=[strings(b"\x0a\x08\x0a\x01\xff\x15\x00\x00\x80\x7f")],
    )
    r.call("ScalarSummary", strings(np.zeros([0])), array([], "float32"))
    r.error("ScalarSummary", strings([b"a", b"b"]), array(1, "float32"), says="not the same shape")
    r.error("ScalarSummary", strings([b"a"]), array([1, 2], "float32"), says="(tag 'a')")


def histograms(r):
    for dtype in TF_REAL:
        r.call("HistogramSummary", strings(b"w"), array([[0, 1, 1], [5, 100, 3]], dtype))
    for values in [SIGNS, [], 0.0, [-1.7e308, 1e20, 1e-12, -1e-12], np.arange(-300, 300) * 0.37]:
        r.call("HistogramSummary", strings(b"w"), array(values, "float64"))
    largest = np.finfo(np.float64).max
    r.call("HistogramSummary", strings(b"w"), array([-largest], "float64"))
    for wrong, says in [(np.nan, "Nan in summary histogram"), (-np.inf, "Infinity in summary")]:
        for dtype in FLOATS:
            r.error("HistogramSummary", strings(b"w"), array([1, wrong], dtype), says=says)
    r.error("HistogramSummary", strings([b"a", b"b"]), array([1], "float32"), says="scalar")


def pictures(channels, dtype="float32", low=0.0):
    count = 2 * 3 * 4 * channels
    values = low + np.arange(count) * (1.0 if dtype == "uint8" else 0.25)
    return array(values.reshape([2, 3, 4, channels]), dtype)


def image(r, values, **attrs):
    """A call whose result a graph gives: eager calls cannot have an attribute that is a tensor."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        summary = tf.raw_ops.ImageSummary(tag=b"x", tensor=values, **attrs)
        outputs = [strings(session.run(summary))]
    r.call("ImageSummary", strings(b"x"), values, outputs=outputs, **attrs)


def images(r):
    for dtype in ["uint8", "float16", "float32", "float64"]:
        for channels in [1, 3, 4]:
            image(r, pictures(channels, dtype))
    image(r, pictures(3, low=-4.0), max_images=1)
    image(r, pictures(3, low=-4.0), max_images=2)
    image(r, np.zeros([1, 2, 2, 1], np.float32))
    image(r, np.zeros([0, 2, 2, 1], np.float32))
    broken = pictures(3)
    broken[0, 1, 2, 1], broken[1, 0, 0, 0], broken[1, 2, 3, 2] = np.nan, np.inf, -np.inf
    image(r, broken)
    op, tag, one = "ImageSummary", strings(b"x"), pictures(1)
    r.error(op, tag, one[0], says="4-D")
    r.error(op, tag, pictures(2), says="1, 3, or 4")
    r.error(op, tag, one[:, :0], says="non-zero")
    r.error(op, strings([b"a", b"b"]), one, says="scalar")
    r.error(op, tag, one, max_images=0, says="max_images")


def old_sounds(r, tag, values, rate, **attrs):
    """A call of the first version, which TensorFlow no longer runs: the second one's result."""
    found = tf.raw_ops.AudioSummaryV2(tag=tag, tensor=values, sample_rate=rate, **attrs)
    outputs = [strings(found.numpy())]
    r.call("AudioSummary", strings(tag), values, outputs=outputs, sample_rate=rate, **attrs)


def sounds(r):
    mono = array(np.sin(np.arange(20) * 0.7).reshape([4, 5]), "float32")
    stereo = array(np.linspace(-1.5, 1.5, 24).reshape([2, 6, 2]), "float32")
    broken = array([[0.25, -0.25, np.inf, -np.inf, 1.0]], "float32")
    for values in [mono, stereo, broken, stereo[:0], mono[:, :1]]:
        for rate in [0.3, 44100.5, 8000]:
            r.call("AudioSummaryV2", strings(b"x"), values, array(rate, "float32"))
        old_sounds(r, b"x", values, 16000.0)
    for most in [1, 2, 9]:
        old_sounds(r, b"", mono, 8000.0, max_outputs=most)
    op, tag, rate = "AudioSummaryV2", strings(b"x"), array(8000, "float32")
    r.error(op, tag, mono[0], rate, says="3-D or 2-D")
    r.error(op, tag, mono[:, :0], rate, says="num_frames must be positive")
    r.error(op, tag, stereo[:, :, :0], rate, says="num_channels must be")
    r.error(op, tag, mono, array(0, "float32"), says="sample_rate must be > 0")
    r.error(op, tag, mono, rate, max_outputs=0, says="max_outputs")
    r.error("AudioSummary", tag, mono, sample_rate=-1.0, says="sample_rate must be > 0")


def tensors(r):
    metadata = b"\x0a\x0a\x0a\x04text\x12\x02\x08\x01"
    for dtype in PLAIN:
        r.call("TensorSummaryV2", strings(b"t"), array([[0, 1], [1, 0]], dtype), strings(b""))
    for values in [array(2, "float32"), strings([b"one", b"two"]), array([], "int32")]:
        r.call("TensorSummaryV2", strings(b"t"), values, strings(metadata))
    two = strings([b"a", b"b"])
    r.error("TensorSummaryV2", two, array(1, "int32"), strings(b""), says="scalar")
    r.error(
        "TensorSummaryV2",
        strings(b"t"),
        array(1, "int32"),
        strings([b""]),
        says="serialized_summary_metadata",
    )
    r.error("TensorSummaryV2", strings(b"t"), array(1, "int32"), strings(b"\xff"), says="metadata")


def merges(r):
    one = tf.raw_ops.ScalarSummary(tags=["a", "b"], values=[1.0, 2.0]).numpy()
    two = tf.raw_ops.HistogramSummary(tag="c", values=[1.0]).numpy()
    r.call("MergeSummary", [strings(one)])
    r.call("MergeSummary", [strings(one), strings(two)])
    r.call("MergeSummary", [strings([one, two]), strings(b""), strings(np.zeros([2, 0]))])
    r.error("MergeSummary", [strings(one), strings(one)], says="Duplicate tag a")
    r.error("MergeSummary", [strings(b"\xff")], says="Could not parse")


def record(r):
    scalars(r)
    histograms(r)
    images(r)
    sounds(r)
    tensors(r)
    merges(r)
