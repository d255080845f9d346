import numpy as np
from recorder import array

WORDS = array(["a", "bb", "", "d", "e", "ff"], "string")
SPLITS = [0, 2, 2, 5, 6]


def ngrams(r, widths, pad, index="int64", short=False, splits=SPLITS, error=None, outputs=None):
    inputs = [WORDS, array(splits, index)]
    attrs = {"separator": "|", "left_pad": "L", "right_pad": "RR", "ngram_widths": widths,
             "pad_width": pad, "preserve_short_sequences": short, "Tsplits": index}
    if error:
        r.error("StringNGrams", *inputs, says=error, **attrs)
    else:
        r.call("StringNGrams", *inputs, outputs=outputs, known_shape=False, **attrs)


def record_ngrams(r):
    for widths in [[1], [2], [3], [1, 2], [4], [2, 2]]:
        for pad in [0, 1, -1, 2, 9]:
            ngrams(r, widths, pad)
    ngrams(r, [2], 1, index="int32")
    for pad in [0, 1]:
        ngrams(r, [4], pad, short=True)
        ngrams(r, [9, 4], pad, short=True)
    ngrams(r, [], 0)
    ngrams(r, [], 2, short=True)
    ngrams(r, [2], 0, splits=[0], outputs=[array([], "string"), array([0], "int64")])
    ngrams(r, [2], 0, splits=[], outputs=[array([], "string"), array([], "int64")])
    ngrams(r, [2], 0, splits=[0, 0], outputs=[array([], "string"), array([0, 0], "int64")])
    ngrams(r, [], -1, short=True, error="'pad_width' must not be negative")
    ngrams(r, [0], 0, error="must be positive")
    ngrams(r, [-2], 0, error="must be positive")
    ngrams(r, [2], 0, splits=[0, 3, 2], error="[3, 6]")
    ngrams(r, [2], 0, splits=[0, 7], error="[0, 6]")
    ngrams(r, [2], 0, splits=[-1, 6], error="[0, 6]")
    ngrams(r, [2], 0, splits=[[0, 6]], error="rank 1")
    many = {"separator": "|", "left_pad": "L", "right_pad": "RR", "pad_width": -1,
            "preserve_short_sequences": False, "Tsplits": "int64"}
    for width in [2**20, 2**40, 2**62]:
        r.error("StringNGrams", WORDS, array(SPLITS, "int64"), ngram_widths=[width], **many,
                code="ResourceExhausted", says="too many")


def record_padded_raw(r):
    texts = array([b"abcdefgh", b"\x01", b"", b"0123456789abcdefXYZ"], "string")
    length = array(16, "int32")
    for dtype in ["float16", "float32", "float64", "int32", "uint16", "uint8", "int16", "int8",
                  "int64"]:
        for little in [True, False]:
            order = np.dtype(dtype).newbyteorder("<" if little else ">")
            found = np.stack([np.frombuffer(text[:16].ljust(16, b"\0"), order) for text in texts])
            r.call("DecodePaddedRaw", texts, length, out_type=dtype, little_endian=little,
                   outputs=[found.astype(dtype)])
    one = array("ab", "string")
    r.call("DecodePaddedRaw", one, array(4, "int32"), out_type="int16")
    r.call("DecodePaddedRaw", texts[:0], array(4, "int32"), out_type="int16")
    r.error("DecodePaddedRaw", one, array(5, "int32"), out_type="int16", says="multiple")
    r.error("DecodePaddedRaw", one, array(0, "int32"), out_type="int16", says="positive")
    r.error("DecodePaddedRaw", one, array(-2, "int32"), out_type="int16", says="positive")
    r.error("DecodePaddedRaw", one, array([4], "int32"), out_type="int16", says="")


def record_joined_segments(r):
    grid = array([["a", "b"], ["c", ""], ["e", "f"]], "string")
    for index in ["int32", "int64"]:
        for count in ["int32", "int64"]:
            r.call("UnsortedSegmentJoin", grid, array([1, 0, 1], index), array(3, count),
                   separator="-")
    r.call("UnsortedSegmentJoin", grid, array([[0, 1], [1, 1], [0, 0]], "int32"),
           array(2, "int32"))
    r.call("UnsortedSegmentJoin", grid[:, 1], array([2, 2, 2], "int32"), array(3, "int32"),
           separator=", ")
    r.call("UnsortedSegmentJoin", grid[:0], array([], "int32"), array(2, "int32"))
    r.call("UnsortedSegmentJoin", grid[:0], array([], "int32"), array(0, "int32"))
    two = array(2, "int32")
    r.error("UnsortedSegmentJoin", grid, array([0, 1, 2], "int32"), two, says="does not lie")
    r.error("UnsortedSegmentJoin", grid, array([0, -1, 1], "int32"), two, says="does not lie")
    r.error("UnsortedSegmentJoin", grid, array([0, 1], "int32"), two, says="do not fit")
    r.error("UnsortedSegmentJoin", grid, array(0, "int32"), two, says="")
    r.error("UnsortedSegmentJoin", grid, np.zeros((3, 2, 1), "int32"), two, says="do not fit")
    r.error("UnsortedSegmentJoin", grid, array([0, 1, 0], "int32"), array(-1, "int32"),
            says="is negative")
    r.error("UnsortedSegmentJoin", grid, array([0, 1, 0], "int32"), array([2], "int32"), says="")


def record(r):
    record_ngrams(r)
    record_padded_raw(r)
    record_joined_segments(r)
