"""The example of a convolutional network, whose second worker is killed on the way."""

import glob
import os
import re
import tempfile
import unittest

from nodes import finish, start_program

import troupe as tf

STEPS = 240


class CnnTest(unittest.TestCase):
    def test_a_training_goes_on_while_a_worker_is_killed_and_its_curve_is_in_the_events(self):
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "cnn")
            output = finish(start_program("cnn.py", "--folder", place, "--steps", str(STEPS)), 240)
            self.assertIn("killed worker 1", output)
            self.assertGreater(float(re.search(r"accuracy ([\d.]+)", output)[1]), 0.85)
            step = int(re.search(r"model.ckpt-(\d+)", output)[1])
            self.assertGreaterEqual(step, STEPS)
            (events,) = glob.glob(os.path.join(place, "model/events.out.tfevents.*"))
            found = {}
            for event in tf.train.summary_iterator(events):
                for value in event.summary.value:
                    found.setdefault(value.tag, []).append((event.step, value.simple_value))
            self.assertIn("digits/image/0", found)
            self.assertIn("hidden/kernel_1", found)
            losses = found["loss"]
            self.assertGreater(losses[-1][0], STEPS - 60)
            # One batch's loss says little; which steps the killed worker did not run differs.
            last = [loss for _, loss in losses[-5:]]
            self.assertLess(sum(last) / len(last), 0.7 * losses[0][1])


if __name__ == "__main__":
    unittest.main()
