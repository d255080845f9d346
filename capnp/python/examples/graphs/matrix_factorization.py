"""Users and films get vectors whose products are the ratings that users have given.

matrix_factorization.py [TARGET]
"""

import sys

import numpy as np

import troupe as tf

USERS, FILMS, WIDTH = 12, 9, 3


def main(target=""):
    """Trains; gives some errors, and the ratings that a user is expected to give."""
    random = np.random.RandomState(10)
    tastes, kinds = random.uniform(0, 1.5, [USERS, WIDTH]), random.uniform(0, 1.5, [FILMS, WIDTH])
    known = np.argwhere(random.uniform(0, 1, [USERS, FILMS]) < 0.6)
    ratings = (tastes @ kinds.T)[known[:, 0], known[:, 1]]

    rows = tf.placeholder(tf.int32, [None, 2])
    rated = tf.placeholder(tf.float32, [None])
    initializer = tf.random_uniform_initializer(0, 1, seed=18)
    users = tf.get_variable("users", [USERS, WIDTH], initializer=initializer)
    films = tf.get_variable("films", [FILMS, WIDTH], initializer=initializer)
    user, film = tf.gather(users, rows[:, 0]), tf.gather(films, rows[:, 1])
    error = tf.reduce_mean(tf.square(tf.reduce_sum(user * film, 1) - rated))
    size = tf.nn.l2_loss(user) + tf.nn.l2_loss(film)
    train = tf.train.AdagradOptimizer(0.2).minimize(error + 1e-4 * size)
    expected = tf.matmul(users, films, transpose_b=True)
    with tf.Session(target) as session:
        session.run(tf.global_variables_initializer())
        feeds = {rows: known, rated: ratings}
        errors = [session.run([error, train], feeds)[0] for _ in range(60)]
        return errors[::20], session.run(expected[0])


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
