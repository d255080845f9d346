"""A sun and its planets attract each other, and move accordingly.

n_body.py [TARGET]
"""

import sys

import troupe as tf

MASSES = [1.0, 1e-3, 3e-4]
PLACES = [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]
SPEEDS = [[0.0, 0.0], [0.0, 1.0], [-0.7071, 0.0]]
STEP, STEPS = 0.02, 100


def main(target=""):
    """Gives places and speeds at the end, and the energy at the start and at the end."""
    masses, places, speeds = (tf.constant(v, tf.float64) for v in (MASSES, PLACES, SPEEDS))
    others = 1 - tf.eye(len(MASSES), dtype=tf.float64)

    def distances(places):
        apart = places[None] - places[:, None]
        return apart, tf.sqrt(tf.reduce_sum(apart * apart, 2) + tf.eye(3, dtype=tf.float64))

    def accelerations(places):
        apart, distance = distances(places)
        return tf.reduce_sum((others * masses / distance**3)[:, :, None] * apart, 1)

    def energy(places, speeds):
        _, distance = distances(places)
        moving = tf.reduce_sum(masses * tf.reduce_sum(speeds * speeds, 1)) / 2
        return moving - tf.reduce_sum(others * masses * masses[:, None] / distance) / 2

    def leap(count, places, speeds):
        """Half a step of the speeds, a step of the places, and the other half."""
        speeds += STEP / 2 * accelerations(places)
        places += STEP * speeds
        return count + 1, places, speeds + STEP / 2 * accelerations(places)

    _, last, last_speeds = tf.while_loop(
        lambda count, *_: count < STEPS, leap, [tf.constant(0), places, speeds]
    )
    energies = energy(places, speeds), energy(last, last_speeds)
    with tf.Session(target) as session:
        return tuple(session.run([last, last_speeds, energies]))


if __name__ == "__main__":
    results = [__doc__] if "--help" in sys.argv else main(*sys.argv[1:])
    print(*results, sep="\n")
