#!/usr/bin/env python3
"""The client in README.md is the program that is built and can be run: apps/examples/client.cpp."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]


class ReadmeExampleTest(unittest.TestCase):
    def test_the_readme_shows_the_example_as_it_is_built(self):
        blocks = re.findall(r"```cpp\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
        programs = [block for block in blocks if "int main()" in block]
        self.assertEqual(programs, [(ROOT / "apps/examples/client.cpp").read_text()])


if __name__ == "__main__":
    unittest.main()
