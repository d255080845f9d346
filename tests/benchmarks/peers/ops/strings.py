"""Texts, and records of numbers that are parsed."""

from .case import case
from .operands import floats, integers, strings

WORDS = strings(100000, lambda index: f"word{index}")
ROWS_OF_CSV = strings(20000, lambda index: "1.5,2,abc,4.25")


def _example(tf, index):
    numbers = tf.train.FloatList(value=[float(number) for number in range(32)])
    label = tf.train.Int64List(value=[index])
    feature = {"x": tf.train.Feature(float_list=numbers), "y": tf.train.Feature(int64_list=label)}
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()


def _parse_example(tf):
    examples = tf.constant([_example(tf, index) for index in range(2000)])
    features = {"x": tf.FixedLenFeature([32], tf.float32), "y": tf.FixedLenFeature([], tf.int64)}
    variable = tf.get_variable("examples", initializer=examples, use_resource=True)
    return tf.parse_example(variable, features)["x"]


CASES = {
    "string_to_hash_bucket_fast": case(
        lambda tf, words: tf.string_to_hash_bucket_fast(words, 1000), WORDS
    ),
    "string_join": case(lambda tf, left, right: tf.string_join([left, right]), WORDS, WORDS),
    "string_to_number": case(
        lambda tf, texts: tf.string_to_number(texts), strings(100000, lambda index: str(index / 2))
    ),
    "string_split": case(
        lambda tf, texts: tf.string_split(texts).values,
        strings(20000, lambda index: "a bc def ghij"),
    ),
    "regex_replace": case(
        lambda tf, words: tf.strings.regex_replace(words, "o.d", "x"),
        strings(20000, lambda index: f"word{index}"),
    ),
    "string_length": case(lambda tf, words: tf.strings.length(words), WORDS),
    "substr": case(lambda tf, words: tf.strings.substr(words, 1, 3), WORDS),
    "as_string": case(lambda tf, x: tf.as_string(x), floats(100000)),
    "as_string_of_integers": case(lambda tf, x: tf.as_string(x), integers(100000, high=10**9)),
    "encode_base64": case(lambda tf, words: tf.encode_base64(words), WORDS),
    "decode_csv": case(
        lambda tf, rows: tf.decode_csv(rows, [[0.0], [0], [""], [0.0]])[0], ROWS_OF_CSV
    ),
    "decode_raw": case(
        lambda tf, texts: tf.decode_raw(texts, tf.float32), strings(1000, lambda index: "x" * 4096)
    ),
    "parse_example": case(_parse_example),
}
