"""Hyperparameters: texts of them, and their types."""

import unittest

import troupe as tf

HParams = tf.contrib.training.HParams


class HParamsTest(unittest.TestCase):
    def setUp(self):
        self.given = HParams(rate=0.1, steps=10, name="a", fast=False, sizes=[1, 2, 3])

    def test_a_text_sets_values_of_their_types(self):
        self.given.parse("rate=1,steps=-2, name=b c,fast=true,sizes=[4,5]")
        self.assertEqual(
            self.given.values(),
            {"rate": 1.0, "steps": -2, "name": "b c", "fast": True, "sizes": [4, 5]},
        )
        self.assertIsInstance(self.given.rate, float)
        self.assertEqual(self.given.parse("sizes[1]=9").sizes, [4, 9])

    def test_a_text_of_another_form_is_an_error(self):
        for text, words in (
            ("steps=1.5", "Could not parse hparam 'steps' of type 'int' with value '1.5'"),
            ("fast=maybe", "Could not parse hparam 'fast'"),
            ("more=1", "Unknown hyperparameter type for more"),
            ("steps=1,steps=2", "Multiple assignments to variable 'steps'"),
            ("sizes[0]=1,sizes[0]=2", r"Multiple assignments to variable 'sizes\[0\]'"),
            ("sizes[0]=[1]", "Assignment of a list to a list index"),
            ("steps", "Malformed hyperparameter value: steps"),
            ("steps=[1]", "Must not pass a list for single-valued parameter: steps"),
            ("sizes=1", "Must pass a list for multi-valued parameter: sizes"),
            ("steps[0]=1", "Must not pass an index for single-valued parameter: steps"),
        ):
            with self.subTest(text), self.assertRaisesRegex(ValueError, words):
                self.given.parse(text)
        self.assertEqual(self.given.steps, 10)

    def test_values_keep_their_types(self):
        self.given.set_hparam("rate", 2)
        self.assertIsInstance(self.given.rate, float)
        for name, value in (
            ("steps", 1.5),
            ("steps", True),
            ("fast", 1),
            ("name", 3),
            ("rate", "x"),
        ):
            with self.subTest(name), self.assertRaisesRegex(ValueError, f"cast hparam '{name}'"):
                self.given.set_hparam(name, value)

    def test_names_are_added_once_and_removed(self):
        with self.assertRaisesRegex(ValueError, "name is reserved: steps"):
            self.given.add_hparam("steps", 1)
        with self.assertRaisesRegex(ValueError, "name is reserved: parse"):
            HParams(parse=1)
        with self.assertRaisesRegex(ValueError, "cannot be empty: none"):
            HParams(none=[])
        self.given.del_hparam("steps")
        self.assertNotIn("steps", self.given)
        self.assertEqual(self.given.get("steps", 7), 7)
        self.assertEqual(self.given.get("name", "z"), "a")
        with self.assertRaises(ValueError):
            self.given.get("name", 7)

    def test_json_has_the_values(self):
        other = HParams(rate=0.0, steps=0, name="", fast=True, sizes=[0])
        other.parse_json(self.given.to_json())
        self.assertEqual(other.values(), self.given.values())
        self.assertEqual(HParams(b=1, a="x").to_json(sort_keys=True), '{"a": "x", "b": 1}')
        self.assertEqual(repr(HParams(b=1, a="x")), "HParams([('a', 'x'), ('b', 1)])")

    def test_a_message_holds_values_and_lists(self):
        given = HParams(a=3, b=0.5, c="x", d=True, e=[1, 2], f=[0.25], g=["y", "z"], h=[False])
        message = given.to_proto()
        self.assertEqual(message.hparam["g"].bytes_list.value, [b"y", b"z"])
        read = tf.contrib.training.HParamDef.FromString(message.SerializeToString())
        found = HParams.from_proto(read)
        self.assertEqual(found.values(), given.values())
        self.assertIs(type(found.d), bool)
        # As protoc writes it.
        self.assertEqual(HParams(a=3).to_proto().SerializeToString(), b"\n\7\n\1a\x12\2\10\3")

    def test_only_a_message_of_hyperparameters_is_read(self):
        with self.assertRaisesRegex(TypeError, "must be an HParamDef, not dict"):
            HParams({"a": 1})
        with self.assertRaisesRegex(ValueError, "mutually exclusive"):
            HParams(HParams(a=1).to_proto(), b=2)

    def test_the_text_of_values_can_be_parsed(self):
        given = HParams(a=1, b=[2.0, 3.0], c="relu6")
        self.assertEqual(str(given), "a=1,b=[2.0, 3.0],c=relu6")
        found = HParams(a=4, b=[5.0, 6.0], c="relu10").parse(str(given))
        self.assertEqual(found.values(), given.values())


if __name__ == "__main__":
    unittest.main()
