"""Strings in pieces and as characters, in rows."""

import troupe as tf

TEXTS = ["Hé", "", "日本😀"]


class UnicodeTest(tf.test.TestCase):
    def check(self, found, rows):
        with self.session() as session:
            value = session.run(found)
        self.assertEqual(value.to_list() if hasattr(value, "to_list") else value.tolist(), rows)

    def test_strings_are_decoded_and_encoded(self):
        characters = tf.strings.unicode_decode(TEXTS, "UTF-8")
        rows = [[ord(each) for each in text] for text in TEXTS]
        self.assertEqual(characters.dtype, tf.int32)
        self.check(characters, rows)
        for encoding, name in [("UTF-8",) * 2, ("UTF-16-BE",) * 2, ("UTF-32-BE",) * 2]:
            encoded = [text.encode(name) for text in TEXTS]
            self.check(tf.strings.unicode_encode(characters, encoding), encoded)
            self.check(tf.strings.unicode_decode(encoded, encoding), rows)

    def test_any_rank_is_decoded(self):
        deep = tf.ragged.constant([[["a"], ["bc", ""]], []])
        self.check(tf.strings.unicode_decode("né", "UTF-8"), [110, 233])
        found = tf.strings.unicode_decode([["a", "bc"], ["", "d"]], "UTF-8")
        self.check(found, [[[97], [98, 99]], [[], [100]]])
        found = tf.strings.unicode_decode(deep, "UTF-8")
        self.check(found, [[[[97]], [[98, 99], []]], []])
        self.check(tf.strings.unicode_encode(found, "UTF-8"), [[[b"a"], [b"bc", b""]], []])
        self.check(tf.strings.unicode_encode([[[72], [73]]], "UTF-8"), [[b"H", b"I"]])
        self.check(tf.stack([tf.strings.unicode_encode([72, 73], "UTF-8")]), [b"HI"])
        with self.assertRaisesRegex(ValueError, "statically known"):
            tf.strings.unicode_decode(tf.placeholder(tf.string), "UTF-8")

    def test_offsets_say_where_characters_begin(self):
        characters, offsets = tf.strings.unicode_decode_with_offsets(TEXTS, "UTF-8")
        self.check(offsets, [[0, 1], [], [0, 3, 6]])
        parts, begins = tf.strings.unicode_split_with_offsets(TEXTS, "UTF-8")
        self.check(parts, [[each.encode() for each in text] for text in TEXTS])
        self.check(begins, [[0, 1], [], [0, 3, 6]])
        self.check(tf.strings.unicode_split("né", "UTF-8"), [b"n", "é".encode()])
        self.assertEqual(characters.shape.as_list(), [3, None])

    def test_what_is_no_text_is_replaced_left_out_or_an_error(self):
        wrong = ["a", b"b\xffc"]
        self.check(tf.strings.unicode_decode(wrong, "UTF-8"), [[97], [98, 0xFFFD, 99]])
        found = tf.strings.unicode_decode(wrong, "UTF-8", errors="ignore")
        self.check(found, [[97], [98, 99]])
        strict = tf.strings.unicode_decode(wrong, "UTF-8", errors="strict")
        with self.session() as session, self.assertRaises(tf.errors.InvalidArgumentError):
            session.run(strict)

    def test_rows_are_transcoded_and_have_scripts(self):
        words = tf.ragged.constant([["é"], ["a", "b"]])
        found = tf.strings.unicode_transcode(words, "UTF-8", "UTF-16-BE")
        self.check(found, [[b"\x00\xe9"], [b"\x00a", b"\x00b"]])
        self.check(tf.strings.unicode_script(tf.ragged.constant([[65], [0x416, 32]])),
                   [[25], [8, 0]])  # fmt: skip

    def test_strings_are_split(self):
        self.check(tf.strings.split(["a b", "", "c"], result_type="RaggedTensor"),
                   [[b"a", b"b"], [], [b"c"]])  # fmt: skip
        self.check(tf.strings.split("a b", result_type="RaggedTensor"), [b"a", b"b"])
        found = tf.strings.split([["a-b"], ["c"]], sep="-", result_type="RaggedTensor")
        self.check(found, [[[b"a", b"b"]], [[b"c"]]])
        sparse = tf.strings.split([["a b"], ["c"]])
        self.check(tf.sparse.to_dense(sparse, ""), [[[b"a", b"b"]], [[b"c", b""]]])
        found = tf.string_split(["a,,b"], ",", result_type="RaggedTensor")
        self.check(found, [[b"a", b"b"]])
        self.check(tf.compat.v2.strings.split(["a b"]), [[b"a", b"b"]])
        with self.assertRaisesRegex(ValueError, "result_type"):
            tf.strings.split(["a"], result_type="Tensor")

    def test_strings_are_split_into_bytes(self):
        self.check(tf.strings.bytes_split(["hé", ""]), [[b"h", b"\xc3", b"\xa9"], []])
        self.check(tf.strings.bytes_split("ab"), [b"a", b"b"])
        self.check(tf.strings.bytes_split([["ab"], ["c"]]), [[[b"a", b"b"]], [[b"c"]]])

    def test_neighbours_are_joined(self):
        rows = tf.ragged.constant([["a", "b", "c"], ["d"]])
        self.check(tf.strings.ngrams(rows, 2), [[b"a b", b"b c"], []])
        found = tf.strings.ngrams(rows, 2, separator="|", pad_values=("L", "R"))
        self.check(found, [[b"L|a", b"a|b", b"b|c", b"c|R"], [b"L|d", b"d|R"]])
        self.check(tf.strings.ngrams(["a", "b", "c"], [1, 3]), [b"a", b"b", b"c", b"a b c"])
        self.check(tf.strings.ngrams([["a", "b"], ["c", "d"]], 2), [[b"a b"], [b"c d"]])
        self.check(tf.strings.ngrams(rows, 2, preserve_short_sequences=True),
                   [[b"a b", b"b c"], [b"d"]])  # fmt: skip
        with self.assertRaisesRegex(ValueError, "greater than 0"):
            tf.strings.ngrams(rows, 0)
        with self.assertRaisesRegex(ValueError, "pad_values"):
            tf.strings.ngrams(rows, 2, padding_width=1)


if __name__ == "__main__":
    tf.test.main()
