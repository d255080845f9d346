#!/usr/bin/env python3
"""Writes a SavedModel with TensorFlow, as programs for its version 1 do.

Usage: record_saved_model.py

`words`: the indices of words in a file, times a variable of a resource, plus one of references in
two parts. Another graph with the same variables has the tag "train".
"""

import pathlib
import shutil
import tempfile

import tensorflow.compat.v1 as tf

HERE = pathlib.Path(__file__).parent


def build(vocabulary):
    words = tf.placeholder(tf.string, [None], name="words")
    with tf.name_scope("table"):
        table = tf.lookup.StaticHashTable(
            tf.lookup.TextFileInitializer(
                vocabulary, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
                tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER,
            ),
            -1,
        )  # fmt: skip
    factor = tf.get_variable("factor", initializer=3.0, use_resource=True)
    offset = tf.get_variable(
        "offset", initializer=tf.constant([[10.0], [20.0]]), use_resource=False,
        partitioner=lambda shape, dtype: [2, 1],
    )  # fmt: skip
    scaled = tf.cast(table.lookup(words), tf.float32) * factor
    result = tf.identity(scaled + tf.reduce_sum(tf.convert_to_tensor(offset)), name="result")
    return words, result


def main():
    folder = HERE / "words"
    shutil.rmtree(folder, ignore_errors=True)
    builder = tf.saved_model.builder.SavedModelBuilder(str(folder))
    with tempfile.TemporaryDirectory() as temporary, tf.Session(graph=tf.Graph()) as session:
        path = pathlib.Path(temporary, "vocabulary.txt")
        path.write_text("zero\none\ntwo\n")
        vocabulary = tf.constant(str(path), name="vocabulary")
        tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, vocabulary)
        words, result = build(vocabulary)
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        session.run(tf.assign_add(tf.global_variables()[0], 1.0))
        print(session.run(result, {words: ["one", "two", "three"]}))
        builder.add_meta_graph_and_variables(
            session,
            [tf.saved_model.tag_constants.SERVING],
            {
                "serving_default": tf.saved_model.predict_signature_def(
                    {"words": words}, {"result": result}
                )
            },
            assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
            main_op=tf.tables_initializer(),
            strip_default_attrs=True,
        )
        builder.add_meta_graph([tf.saved_model.tag_constants.TRAINING])
    builder.save()


if __name__ == "__main__":
    tf.disable_eager_execution()
    main()
