"""The README says how many of TensorFlow's public symbols there are."""

import unittest

import counts


class CountsTest(unittest.TestCase):
    def test_the_readme_says_what_there_is(self):
        self.assertEqual(counts.text_of_readme(), counts.sentence(), "see counts.py --readme")

    def test_symbols_that_do_not_exist_are_not_counted(self):
        self.assertTrue(counts.is_there("train", "Saver"))
        self.assertFalse(counts.is_there("train", "NoSuchSymbol"))
        self.assertFalse(counts.is_there("no_such_module", "Saver"))


if __name__ == "__main__":
    unittest.main()
