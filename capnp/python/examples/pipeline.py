"""Fits a line to rows of files, which threads read, shuffle and batch while steps train.

pipeline.py [TARGET]
"""

import os
import random
import sys
import tempfile

import troupe as tf

if "--help" in sys.argv:
    print(__doc__)
    sys.exit()
if sys.argv[1:] and sys.argv[1].startswith("-"):
    sys.exit(__doc__)
folder = tempfile.TemporaryDirectory()
for number in range(4):
    with open(os.path.join(folder.name, f"{number}.csv"), "w") as file:
        for _ in range(250):
            x = random.random()
            file.write(f"{x},{2 * x - 3}\n")

# The first thread puts the names of the files into a queue, in another order in each epoch.
files = tf.train.match_filenames_once(os.path.join(folder.name, "*.csv"))
file_name = tf.train.string_input_producer(files, num_epochs=50).dequeue()
# Two more threads read a file each, and put its rows into a queue that shuffles them.
lines = tf.string_split([tf.string_strip(tf.read_file(file_name))], "\n").values
x, y = tf.decode_csv(lines, [[0.0], [0.0]])
xs, ys = tf.train.shuffle_batch(
    [x, y], 50, capacity=1000, min_after_dequeue=500, num_threads=2, enqueue_many=True
)

slope = tf.get_variable("slope", initializer=0.0)
offset = tf.get_variable("offset", initializer=0.0)
loss = tf.reduce_mean(tf.square(slope * xs + offset - ys))
step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
line = slope + 0.0, offset + 0.0

# Starts the threads; the end of the data, after the last epoch, ends the training.
with tf.train.MonitoredTrainingSession(sys.argv[1] if len(sys.argv) > 1 else "") as session:
    while not session.should_stop():
        _, *last = session.run([step, *line])
print("line", *last)
