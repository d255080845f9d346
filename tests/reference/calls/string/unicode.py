from recorder import array

WORDS = ["", "a", "Hellö", "é\u0301", "日本語", "😀🎉!", "x\x00y\n", "\ufeffmark", "\U0010ffff", "ﬁ"]
# What is no UTF-8: bytes alone, too long forms, halves of characters, cut characters.
WRONG = [b"\xff", b"ab\x80c", b"\xc0\x80", b"\xed\xa0\x80", b"\xe6\x97", b"\xf0\x9f\x98",
         b"x\xe6\x97y", b"\xf8\x88\x80\x80\x80", b"\xc3\x28", b"\xf4\x90\x80\x80"]
ENCODINGS = ["UTF-8", "UTF-16-BE", "UTF-16-LE", "UTF-32-BE", "US-ASCII", "ISO-8859-1"]
# With a mark of the order of bytes. TensorFlow knows it only in the first string of a batch.
MARKED = {"UTF-16": 2, "UTF-32": 4}
PYTHON = {"UTF-16-BE": "utf-16-be", "UTF-16-LE": "utf-16-le", "UTF-32-BE": "utf-32-be"}


def texts(encoding="UTF-8", words=WORDS):
    known = [word.encode(PYTHON.get(encoding, encoding), "replace") for word in words]
    return array(known, "string")


def record_marked(r, op, encoding, width):
    """TensorFlow reads U+FFFF behind a mark alone."""
    splits, numbers, offsets = [0], [], []
    for word in WORDS:
        at = width  # behind the mark
        for number, letter in enumerate(word):
            numbers.append(ord(letter))
            offsets.append(at if number else 0)
            at += len(letter.encode(encoding)) - width
        splits.append(len(numbers))
    outputs = [array(splits, "int64"), array(numbers, "int32"), array(offsets, "int64")]
    outputs = outputs if op == "UnicodeDecodeWithOffsets" else outputs[:2]
    r.call(op, texts(encoding), input_encoding=encoding, known_shape=False, outputs=outputs)


def record_decoding(r):
    for op in ["UnicodeDecode", "UnicodeDecodeWithOffsets"]:
        for encoding in ENCODINGS:
            r.call(op, texts(encoding), input_encoding=encoding, known_shape=False)
        for encoding, width in MARKED.items():
            record_marked(r, op, encoding, width)
        for errors in ["replace", "ignore"]:
            for controls in [False, True]:
                for words in [texts(), array(WRONG, "string")]:
                    r.call(op, words, input_encoding="UTF-8", errors=errors, replacement_char=63,
                           replace_control_characters=controls, known_shape=False)
        r.call(op, texts(), input_encoding="UTF-8", errors="strict", known_shape=False)
        r.call(op, texts(), input_encoding="UTF-8", errors="strict", known_shape=False,
               replace_control_characters=True)
        r.call(op, texts(), input_encoding="UTF-8", Tsplits="int64", known_shape=False)
        r.call(op, array([["a", "bc"], ["", "d"]], "string"), input_encoding="utf8",
               known_shape=False)
        r.call(op, array("héé".encode(), "string"), input_encoding="UTF-8", known_shape=False)
        r.call(op, array([], "string"), input_encoding="UTF-8", known_shape=False)
        for wrong in WRONG:
            r.error(op, array(["a", wrong], "string"), input_encoding="UTF-8", errors="strict",
                    says="no text in its encoding")
        one = array(["a"], "string")
        r.error(op, one, input_encoding="EBCDIC-of-none", says="no encoding 'EBCDIC-of-none'")
        r.error(op, one, input_encoding="", says="no encoding ''")
        for number in [-1, 0x110000]:
            r.error(op, one, input_encoding="UTF-8", replacement_char=number,
                    says="must be a character")
    r.call("UnicodeDecode", texts(), input_encoding="UTF-8", Tsplits="int32", known_shape=False)


def record_transcoding(r):
    for output in ["UTF-8", "UTF-16-BE", "UTF-32-BE"]:
        for encoding in ENCODINGS:
            r.call("UnicodeTranscode", texts(encoding), input_encoding=encoding,
                   output_encoding=output)
        for encoding in MARKED:
            r.call("UnicodeTranscode", texts(encoding), input_encoding=encoding,
                   output_encoding=output, outputs=[texts(output)])
        for errors in ["replace", "ignore"]:
            for controls in [False, True]:
                for replacement in [63, 0x1F600, 0xD800]:
                    r.call("UnicodeTranscode", array(WRONG + ["x\x00y\n"], "string"),
                           input_encoding="UTF-8", output_encoding=output, errors=errors,
                           replacement_char=replacement, replace_control_characters=controls)
    pair = {"input_encoding": "UTF-8", "output_encoding": "UTF-8"}
    r.call("UnicodeTranscode", array([[b"a"], ["é".encode()]], "string"), **pair)
    r.call("UnicodeTranscode", array("é".encode(), "string"), **pair)
    r.call("UnicodeTranscode", array([], "string"), **pair)
    r.call("UnicodeTranscode", texts(), errors="strict", **pair)
    for wrong in WRONG:
        r.error("UnicodeTranscode", array(["a", wrong], "string"), errors="strict", **pair,
                says="no text in its encoding")
    one = array(["a\x01"], "string")
    r.error("UnicodeTranscode", one, errors="strict", replace_control_characters=True, **pair,
            says="no text in its encoding")
    r.error("UnicodeTranscode", one, replacement_char=0x110000, **pair, says="must be a character")
    r.error("UnicodeTranscode", one, input_encoding="UTF-8", output_encoding="UTF-16",
            says="'UTF-16-BE' or")
    r.error("UnicodeTranscode", one, input_encoding="none", output_encoding="UTF-8",
            says="no encoding 'none'")


def encode(r, call, values, splits, index="int64", **more):
    call("UnicodeEncode", array(values, "int32"), array(splits, index), Tsplits=index, **more)


def record_encoding(r):
    numbers = [72, 0xE9, 0x65E5, 0x1F600, 0x10FFFF, 0, 0xD83D, 0xDE00, 0xD800, 65]
    wrong = [65, -1, 0x110000, 2**31 - 1, 66]
    for output in ["UTF-8", "UTF-16-BE", "UTF-32-BE"]:
        for index in ["int32", "int64"]:
            encode(r, r.call, numbers, [0, 2, 2, 5, 10], index, output_encoding=output)
        for errors in ["replace", "ignore"]:
            encode(r, r.call, wrong, [0, 5], output_encoding=output, errors=errors)
            encode(r, r.call, wrong, [0, 5], output_encoding=output, errors=errors,
                   replacement_char=63)
    eight = {"output_encoding": "UTF-8"}
    encode(r, r.call, numbers, [0, 10], errors="strict", **eight)
    encode(r, r.call, [], [0], **eight)
    encode(r, r.call, [], [0, 0, 0], **eight)
    encode(r, r.error, wrong, [0, 5], errors="strict", says="no character of Unicode", **eight)
    encode(r, r.error, numbers, [0, 11], says="must lie in [0, 10]", **eight)
    encode(r, r.error, numbers, [0, 5, 3], says="must lie in [5, 10]", **eight)
    encode(r, r.error, numbers, [1, 5], says="the first split must be 0", **eight)
    encode(r, r.error, numbers, [], says="at least one element", **eight)
    encode(r, r.error, numbers, [[0, 5]], says="", **eight)
    encode(r, r.error, [[1]], [0, 1], says="", **eight)
    encode(r, r.error, numbers, [0, 5], replacement_char=-1, says="must be a character", **eight)
    encode(r, r.error, numbers, [0, 5], output_encoding="latin1", says="'UTF-16-BE' or")


def record_scripts(r):
    characters = [65, 0x3B1, 0x416, 0x5D0, 0x65E5, 0x3042, 0xE01, 32, 0x1F600, 0x10FFFF, -1,
                  0x110000, 2**31 - 1, 0]
    r.call("UnicodeScript", array(characters, "int32"))
    r.call("UnicodeScript", array([[65, 0x416]], "int32"))
    r.call("UnicodeScript", array(65, "int32"))
    r.call("UnicodeScript", array([], "int32"))


def record(r):
    record_decoding(r)
    record_transcoding(r)
    record_encoding(r)
    record_scripts(r)
