"""Skip-grams with negative samples: words get vectors by the words around them.

word2vec.py [TARGET]

A step reads and updates only the rows of the words that are in it: their gradients are sparse.
"""

import sys

import numpy as np

import troupe as tf

TEXT = """the king and the queen are in the castle and the king is a man and the queen is a woman
the dog and the cat are in the garden and the dog is an animal and the cat is an animal"""
WIDTH, NEGATIVES, BATCH = 8, 5, 16


def main(target=""):
    """Trains; gives the mean losses of the first and last steps, and the first word's vector."""
    text = TEXT.split()
    words = sorted(set(text))
    ids = np.array([words.index(word) for word in text])
    pairs = np.array(
        [(ids[i], ids[j]) for i in range(len(ids)) for j in (i - 2, i - 1, i + 1, i + 2)
         if 0 <= j < len(ids)]
    )  # fmt: skip

    center = tf.placeholder(tf.int32, [BATCH])
    around = tf.placeholder(tf.int32, [BATCH, 1 + NEGATIVES])  # the true one first
    initializer = tf.random_uniform_initializer(-0.5, 0.5, seed=11)
    vectors = tf.get_variable("vectors", [len(words), WIDTH], initializer=initializer)
    contexts = tf.get_variable("contexts", [len(words), WIDTH], initializer=initializer)
    vector = tf.nn.embedding_lookup(vectors, center)
    logits = tf.linalg.matvec(tf.nn.embedding_lookup(contexts, around), vector)
    labels = tf.one_hot(tf.zeros([BATCH], tf.int32), 1 + NEGATIVES)
    loss = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

    random = np.random.RandomState(5)
    with tf.Session(target) as session:
        session.run(tf.global_variables_initializer())
        losses = []
        for _ in range(60):
            batch = pairs[random.randint(0, len(pairs), BATCH)]
            negatives = random.randint(0, len(words), [BATCH, NEGATIVES])
            feeds = {center: batch[:, 0], around: np.hstack([batch[:, 1:], negatives])}
            losses.append(session.run([loss, train], feeds)[0])
        return np.mean(losses[:10]), np.mean(losses[-10:]), session.run(vectors)[0]


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
