"""Layers of columns: what both packages compute of the same features.

The function `results` takes a package with TensorFlow's API.
"""

import os

VOCABULARY = "x\ny\nz\n"


def features_of(tf):
    def sparse(indices, values, shape):
        return tf.SparseTensor(indices, values, shape)

    return {
        "price": tf.constant([[1.5], [20.0], [7.0]]),
        "vector": tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
        "scalar": tf.constant([3.0, 4.0, 5.0]),
        "id": tf.constant([[1], [0], [3]], tf.int64),
        "word": tf.constant([["a"], ["b"], ["zz"]]),
        "words": sparse([[0, 0], [0, 1], [2, 0]], ["x", "y", "q"], [3, 2]),
        "weight": sparse([[0, 0], [0, 1], [2, 0]], [0.5, 2.0, 3.0], [3, 2]),
        "numbers": tf.constant([[5, 7], [-1, 2], [9, 9]], tf.int64),
        "deep": sparse([[0, 0, 0], [0, 0, 1], [2, 1, 0]], ["x", "y", "z"], [3, 2, 2]),
    }


class Columns:
    """The columns of the cases."""

    def __init__(self, tf, folder):
        make = tf.feature_column
        file = os.path.join(folder, "vocabulary.txt")
        with open(file, "w") as written:
            written.write(VOCABULARY)
        words = make.categorical_column_with_vocabulary_list
        self.price = make.numeric_column("price")
        self.vector = make.numeric_column("vector", (2,), normalizer_fn=lambda x: x * 10.0)
        self.scalar = make.numeric_column("scalar")
        self.buckets = make.bucketized_column(self.price, [2.0, 5.0, 10.0])
        plain = make.numeric_column("vector", (2,))
        self.vector_buckets = make.bucketized_column(plain, [2.5, 4.5])
        self.id = make.categorical_column_with_identity("id", 3, default_value=2)
        self.number_id = make.categorical_column_with_identity("numbers", 3, default_value=0)
        self.word = words("word", ["a", "b", "c"], num_oov_buckets=2)
        self.words = words("words", ["x", "y", "z"])
        self.file = make.categorical_column_with_vocabulary_file("words", file, num_oov_buckets=1)
        self.numbers = words("numbers", [5, 9, 2], dtype=tf.int64)
        self.hash = make.categorical_column_with_hash_bucket("words", 7)
        self.number_hash = make.categorical_column_with_hash_bucket("numbers", 5, dtype=tf.int64)
        self.cross = make.crossed_column(["word", "words"], 11)
        self.cross_of_columns = make.crossed_column([self.buckets, self.id, "word"], 13)
        self.cross_of_crosses = make.crossed_column(
            [self.vector_buckets, self.cross_of_columns], 17
        )
        self.weighted = make.weighted_categorical_column(self.file, "weight")
        self.deep = words("deep", ["x", "y", "z"])


def _rising(tf):
    """An initializer: 0, 0.1, 0.2 and so on."""

    def initialize(shape, dtype=None, partition_info=None):
        count = 1
        for size in shape:
            count *= int(size)
        return tf.reshape(tf.cast(tf.range(count), tf.float32) / 10.0, shape)

    return initialize


def layers_of(tf, c):
    """{case: the columns of an input layer}"""

    def embed(column, **options):
        return tf.feature_column.embedding_column(column, 2, initializer=_rising(tf), **options)

    tell = tf.feature_column.indicator_column
    shared = tf.feature_column.shared_embedding_columns(
        [c.id, c.number_id], 2, initializer=_rising(tf)
    )
    return {
        "numbers": [c.vector, c.price, c.scalar],
        "buckets": [c.buckets, c.vector_buckets],
        "indicators": [tell(c.id), tell(c.word), tell(c.file), tell(c.numbers)],
        "hashes": [tell(c.hash), tell(c.number_hash)],
        "crosses": [tell(c.cross), tell(c.cross_of_columns)],
        "a cross of crosses": [tell(c.cross_of_crosses)],
        "weights": [tell(c.weighted)],
        "embeddings": [embed(c.words), embed(c.id)],
        "combiners": [embed(c.words, combiner="sum"), embed(c.numbers, combiner="sqrtn")],
        "an embedding with weights": [embed(c.weighted)],
        "rows of a norm": [embed(c.words, max_norm=0.3)],
        "an embedding of crosses": [embed(c.cross)],
        "an embedding of buckets": [embed(c.vector_buckets)],
        "shared embeddings": shared,
    }


def models_of(tf, c):
    """{case: (the columns of a linear model, its options)}"""
    embedding = tf.feature_column.embedding_column(c.words, 2, initializer=_rising(tf))
    indicator = tf.feature_column.indicator_column(c.id)
    return {
        "a sum": ([c.price, c.vector, c.buckets, c.id, c.file, c.cross], {}),
        "two sums": ([c.price, c.weighted, c.hash], {"units": 2}),
        "means": ([c.file, c.number_hash], {"sparse_combiner": "mean"}),
        "categories of three axes": ([c.deep], {}),
        "a sum of dense columns": ([embedding, indicator, c.price], {}),
    }


def _values(tf, make, sets_variables):
    """The value and the variables of a layer, made in a new graph."""
    with tf.Graph().as_default():
        layer = make(features_of(tf))
        variables = tf.global_variables()
        initializer = _rising(tf)
        changes = [
            tf.assign(each, initializer(each.shape.as_list()) + 0.1)
            for each in (variables if sets_variables else [])
        ]
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.tables_initializer()])
            session.run(changes)
            value = session.run(layer).round(4).tolist()
        return [value, sorted([each.name, each.shape.as_list()] for each in variables)]


def results(tf, folder):
    """{case: [value, variables]}"""
    columns, found = Columns(tf, folder), {}
    for case, given in layers_of(tf, columns).items():
        found[case] = _values(
            tf, lambda f, given=given: tf.feature_column.input_layer(f, given), False
        )
    for case, (given, options) in models_of(tf, columns).items():
        found[case] = _values(
            tf,
            lambda f, given=given, options=options: tf.feature_column.linear_model(
                f, given, **options
            ),
            True,
        )
    return found
