import numpy as np
import tensorflow as tf
from recorder import COMPLEX, FLOATS, INTEGERS, SIGNED, array

STRINGS = [[b"abc", b""], [b" a b ", b"x\x00\xff"], ["h\u00e9llo\u20ac!".encode(),
        b"\x80\x80a\xff"]]
UNITS = ["BYTE", "UTF8_CHAR"]


def strings(values):
    return array(values, "string")


EMPTY = np.zeros([2, 0], dtype=object)


def record_joins(r):
    pair, other = strings([b"a", b"\xff"]), strings([b"", b"d"])
    for separator in [None, ", "]:
        r.call("StringJoin", [pair, other, pair], separator=separator)
        r.call("StringJoin", [pair], separator=separator)
        r.call("StringJoin", [strings(b"x"), pair, strings(b"z")], separator=separator)
        r.call("StringJoin", [strings(b"x"), strings(b"z")], separator=separator)
        r.call("StringJoin", [EMPTY, strings(b"z")], separator=separator)
    r.error("StringJoin", [pair, strings([b"a"])], says="[1]")
    r.error("StringJoin", [pair, strings(b"x"), strings([pair])], says="[1,2]")

    def axes(values):
        return np.array(values, "int32")

    cube = strings(np.array([b"a", b"b", b"c", b"d", b"e", b"f", b"g", b"h"]).reshape(2, 2, 2)
                   .tolist())
    for indices in [0, 1, -1, [0], [0, 1], [1, 0], [2, 0], [0, 2], [2, 0, 1], [0, 1, 2], [-1, -3],
            []]:
        for keep_dims in [False, True]:
            r.call("ReduceJoin", cube, axes(indices), keep_dims=keep_dims)
        r.call("ReduceJoin", cube, axes(indices), separator=".")
    r.call("ReduceJoin", strings([[b"x", b"yy", b""]]), axes(1), separator=",")
    r.call("ReduceJoin", strings(b"x"), axes([]), separator=".")
    for axis in [0, 1, [0, 1]]:
        r.call("ReduceJoin", EMPTY, axes(axis), separator=".")
    r.error("ReduceJoin", cube, axes(3), says="3")
    r.error("ReduceJoin", cube, axes(-4), says="-4")
    r.error("ReduceJoin", cube, axes([0, -3]), says="twice")
    r.error("ReduceJoin", cube, axes([[0]]), says="[1,1]")
    r.error("ReduceJoin", strings(b"x"), axes(0), says="0")


def record_pieces(r):
    vector = strings([b"", b"a", b"  a b\t\n c ", b"a,b,,c,", b",", b",,", b"\xff,b\x00"])
    for separator in [b"", b",", b" ", b",b", b"\t \n"]:
        for skip_empty in [None, True, False]:
            r.call("StringSplit", vector, strings(separator), skip_empty=skip_empty,
                   known_shape=False)
        for most in [None, -2, 0, 1, 2, 100]:
            r.call("StringSplitV2", vector, strings(separator), maxsplit=most, known_shape=False)
    for op in ["StringSplit", "StringSplitV2"]:
        r.call(op, strings([]), strings(b","), known_shape=False)
        r.error(op, strings(b"s"), strings(b","), says="rank")
        r.error(op, strings([[b"s"]]), strings(b","), says="[1,1]")
        r.error(op, strings([b"s"]), strings([b","]), says="[1]")
    for unit in [None] + UNITS:
        r.call("StringLength", strings(STRINGS), unit=unit)
        r.call("StringLength", EMPTY, unit=unit)
        r.call("StringLength", strings(b"xyz"), unit=unit)
    r.error("StringLength", strings(b"x"), unit="WORD", says="unit")
    r.call("StringStrip", strings([[b" a b \t\n\v\f\r", b""], [b" ", b"\x00 \x00"]]))
    r.call("StringStrip", EMPTY)


def record_substrings(r):
    text = strings("h\u00e9llo\u20ac!".encode())
    for dtype in ["int32", "int64"]:
        for unit in [None] + UNITS:
            for at, length in [(0, 2), (1, 3), (-1, 1), (-3, 2), (-2, 9), (7, 1), (-7, 3), (0, 0),
                               (1, 2**31 - 1), (3, 0)]:
                r.call("Substr", text, array(at, dtype), array(length, dtype), unit=unit)
    for unit in UNITS:
        broken = strings(b"\x80\x80a\xff")
        for at, length in [(0, 2), (1, 3), (-1, 1), (-2, 9), (2, 1)]:
            r.call("Substr", broken, array(at, "int32"), array(length, "int32"), unit=unit)
        r.call("Substr", strings(b""), array(0, "int32"), array(3, "int32"), unit=unit)
        r.call("Substr", text, array(2, "int64"), array(-1, "int64"), unit=unit,
               outputs=[strings("h\u00e9llo\u20ac!".encode()[2:] if unit == "BYTE"
                                else "llo\u20ac!".encode())])
        r.call("Substr", text, array(1, "int64"), array(2**63 - 1, "int64"), unit=unit)
        for at in [11, -11, 2**31 - 1, -2**31]:
            r.error("Substr", text, array(at, "int32"), array(1, "int32"), unit=unit,
                    says=f"pos {at} is out of range")
        for at in [-2**63, 2**63 - 1]:
            r.error("Substr", text, array(at, "int64"), array(1, "int64"), unit=unit, says="pos")
        r.error("Substr", strings(b""), array(1, "int32"), array(1, "int32"), unit=unit, says="pos")
    r.error("Substr", text, array(8, "int32"), array(1, "int32"), unit="UTF8_CHAR", says="7")
    pair = strings([b"abc", b"defg"])
    vector = array([0, 1], "int32")
    r.call("Substr", pair, vector, array([2, 2], "int32"))
    r.call("Substr", pair, array([[0], [1]], "int32"), array([[1], [2]], "int32"))
    r.call("Substr", strings(b"abc"), vector, array([1, 2], "int32"))
    r.call("Substr", strings([[b"abc"], [b"xyz"]]), array([0, -1, 3], "int32"),
           array([1, 1, 1], "int32"))
    r.call("Substr", pair, array([[[1]]], "int32"), array([[[1]]], "int32"),
           outputs=[strings([[[b"b", b"e"]]])])
    r.call("Substr", EMPTY, array(5, "int32"), array(1, "int32"))
    r.error("Substr", pair, vector, array([1], "int32"), says="[1]")
    r.error("Substr", pair, array([0, 0, 0], "int32"), array([1, 1, 1], "int32"), says="[3]")


def record_case(r):
    texts = ["ABCabc[`{@z", "\u00e4\u00d6\u20ac\u03a3\u03bf \u01c6\u0434\u0416\U00010428\U00010400"]
    for op in ["StringLower", "StringUpper"]:
        for encoding in [None, "", "utf-8"]:
            r.call(op, strings([text.encode() for text in texts]), encoding=encoding)
            r.call(op, strings(b"A\xff\xc3"), encoding=encoding)
            r.call(op, EMPTY, encoding=encoding)
        for broken in [b"\xe2\x82", b"\xe2\x82A", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xc0\x80",
                       b"\xf4\x90\x80\x80", b"\xf0\x9f\x98B", b"\x80a", b"\xe0\x80\x80"]:
            r.call(op, strings(broken), encoding="utf-8")
        r.error(op, strings(b"x"), encoding="latin", says="encoding")
    # TensorFlow knows characters that become several, and final letters; here each becomes one.
    r.call("StringUpper", strings("\u00df".encode()), encoding="utf-8",
           outputs=[strings("\u00df".encode())])
    r.call("StringLower", strings("\u039f\u03a3".encode()), encoding="utf-8",
           outputs=[strings("\u03bf\u03c3".encode())])


def record_numbers(r):
    whole = [b"0", b"-0", b" 1 ", b"+5", b"-2147483648", b"2147483647", b"\t\v7\f\n", b"00012"]
    floats = [b"1.5", b".5", b"5.", b"-1e5", b"1E-5", b"1e400", b"-1e400", b"1e-400", b"1e39",
            b"inf",
              b"-Infinity", b"+inf", b"NaN", b"nan(1)", b"0x10", b"-0X1p3", b"1.e5", b"1e-46",
              b"0.1", b"123456789.123456789", b"5e-324", b"16777217", b"1.7976931348623159e308"]
    wrong = [b"", b" ", b"abc", b"1_0", b"- 5", b"--5", b"+-5", b"1.5f", b"1 2", b".", b"1\x00",
            b"-",
             b"infi", b"1e", b"e5"]
    for dtype in [tf.float32, tf.float64, tf.int32, tf.int64]:
        r.call("StringToNumber", strings([whole]), out_type=dtype)
        r.call("StringToNumber", EMPTY, out_type=dtype)
        r.call("StringToNumber", strings(b"12"), out_type=dtype)
        for text in wrong:
            r.error("StringToNumber", strings([b"1", text]), out_type=dtype,
                    says="is no number of " + dtype.name)
        if dtype.is_floating:
            r.call("StringToNumber", strings(floats), out_type=dtype)
    r.call("StringToNumber", strings([b"1.5"]))
    r.call("StringToNumber", strings([b"-9223372036854775808", b"9223372036854775807"]),
           out_type=tf.int64)
    for dtype, text in [(tf.int32, b"2147483648"), (tf.int32, b"-2147483649"), (tf.int32, b"1e3"),
                        (tf.int64, b"9223372036854775808"), (tf.int64, b"0x10"), (tf.int64, b"inf"),
                        (tf.int32, b"5.")]:
        r.error("StringToNumber", strings(text), out_type=dtype, says=text.decode())
    r.error("StringToNumber", strings(b"x\n" * 100), says="...")
    r.error("StringToNumber", strings(b"1"), out_type=tf.int16, says="out_type")


def record_as_string(r):
    for dtype in FLOATS:
        values = array([[0.0, -0.0, 1.0], [-2.5, 3.14159, 1e4]], dtype)
        special = array([np.inf, -np.inf, np.nan], dtype)
        for attrs in [{}, {"scientific": True}, {"shortest": True}, {"precision": 2}, {"width": 12},
                      {"precision": 0, "fill": "#"}, {"width": 12, "fill": "0", "precision": 3},
                      {"scientific": True, "precision": 1}, {"shortest": True, "precision": 2}]:
            r.call("AsString", values, gradient=[], **attrs)
            r.call("AsString", special, gradient=[], **attrs)
        for fill in ["", " ", "+", "-", "0", "#"]:
            r.call("AsString", array(2.5, dtype), gradient=[], width=10, fill=fill)
            r.call("AsString", array(np.inf, dtype), gradient=[], width=6, fill=fill)
    r.call("AsString", array([1e300, 5e-324, -1.7976931348623157e308], "float64"), gradient=[])
    r.call("AsString", array([1 / 3], "float64"), gradient=[], precision=200)
    for dtype in INTEGERS:
        limits = np.iinfo(dtype)
        values = array([limits.min, 0, 7, limits.max], dtype)
        for attrs in [{}, {"width": 5}, {"width": 0}, {"width": -3, "precision": -2}]:
            r.call("AsString", values, **attrs)
        for fill in [" ", "+", "-", "0", "#"]:
            r.call("AsString", values, width=5, fill=fill)
            r.call("AsString", values, fill=fill)
        r.call("AsString", array([], dtype))
    for dtype in SIGNED + ["bool"]:
        for attrs in [{"precision": 2}, {"scientific": True}, {"shortest": True}]:
            r.error("AsString", array([1], dtype), says="no meaning for " + dtype, **attrs)
    for dtype in COMPLEX:
        values = array([1 + 2j, -0.5 - 1e-3j], dtype)
        for attrs in [{}, {"scientific": True}, {"shortest": True}, {"precision": 2}, {"width": 9},
                      {"fill": "+"}]:
            r.call("AsString", values, gradient=[], **attrs)
    r.call("AsString", array([[True], [False]], "bool"))
    r.call("AsString", array([True], "bool"), width=7, fill="-")
    one = array(1.0, "float32")
    r.error("AsString", one, scientific=True, shortest=True, says="shortest excludes")
    for fill in ["x", "00", "%"]:
        r.error("AsString", one, fill=fill, says="fill")
    r.error("AsString", one, width=2**31, says="at most")
    r.error("AsString", one, precision=5000, says="at most")


def record_hashes(r):
    texts = [b"a" * length + b"\xff" for length in range(0, 80)] + [b"", b"\x00", b"hello"]
    texts += [bytes(i * 37 % 256 for i in range(length)) for length in (96, 127, 128, 129, 255,
            600)]
    for op, attrs in [("StringToHashBucket", {}), ("StringToHashBucketFast", {}),
                      ("StringToHashBucketStrong", {"key": [123, -456]}),
                      ("StringToHashBucketStrong", {"key": [0, 0]})]:
        r.call(op, strings(texts), num_buckets=2**63 - 1, **attrs)
        for buckets in [1, 10]:
            r.call(op, strings(texts[::9]), num_buckets=buckets, **attrs)
        r.call(op, EMPTY, num_buckets=3, **attrs)
        r.call(op, strings(b"x"), num_buckets=3, **attrs)
        for buckets in [0, -1]:
            r.error(op, strings(b"x"), num_buckets=buckets, says="num_buckets", **attrs)
    for key in [[], [1], [1, 2, 3]]:
        r.error("StringToHashBucketStrong", strings(b"x"), num_buckets=3, key=key, says="two")


def record_patterns(r):
    texts = strings([[b"abbcab", b"", b"xa"], [b"a\nb", "\u00e9a".encode(), b"aaa"]])
    for pattern, rewrite in [("a(b*)", "<\\1>"), ("", "-"), ("^a", "z"), ("b", ""), ("\\pL",
            "\\0\\0"),
                             ("(?i)A", "\\\\"), (".", "x"), ("\u00e9", "e")]:
        for everywhere in [None, True, False]:
            r.call("RegexReplace", texts, strings(pattern.encode()), strings(rewrite.encode()),
                   replace_global=everywhere)
            # A string attribute of TensorFlow in Python is UTF-8, a recorded one bytes.
            if pattern.isascii():
                r.call("StaticRegexReplace", texts, pattern=pattern, rewrite=rewrite,
                       replace_global=everywhere)
    r.call("RegexReplace", EMPTY, strings(b"a"), strings(b"b"))
    r.call("RegexReplace", strings(b"x\xffa"), strings(b"a"), strings(b"\xff"))
    for pattern in ["a.*", "", "\\pL+", "(?s)a.b", "a|aaa", "[^b]*"]:
        r.call("RegexFullMatch", texts, strings(pattern.encode()))
        r.call("StaticRegexFullMatch", texts, pattern=pattern)
    r.call("RegexFullMatch", EMPTY, strings(b"a"))
    for pattern in ["(", "a**", "[z-a]", "\\8", "(?<a>b", "x{100000}"]:
        says = "is invalid"
        r.error("RegexReplace", texts, strings(pattern.encode()), strings(b""), says=says)
        r.error("StaticRegexReplace", texts, pattern=pattern, rewrite="", says=says)
        r.error("RegexFullMatch", texts, strings(pattern.encode()), says=says)
        r.error("StaticRegexFullMatch", texts, pattern=pattern, says=says)
    r.error("RegexFullMatch", texts, strings(b"\xff"), says="'\\xff' is invalid")
    # TensorFlow logs them, and then replaces by nothing or not
    for rewrite in ["\\1", "\\x", "\\"]:
        r.error("RegexReplace", texts, strings(b"a"), strings(rewrite.encode()), says="the rewrite")
        r.error("StaticRegexReplace", texts, pattern="a", rewrite=rewrite, says="the rewrite")
    r.error("RegexReplace", texts, strings([b"a"]), strings(b""), says="[1]")
    r.error("RegexReplace", texts, strings(b"a"), strings([b""]), says="[1]")
    r.error("RegexFullMatch", texts, strings([b"a", b"b"]), says="[2]")


def record_base64(r):
    texts = strings([[b"", b"a", b"ab"], [b"abc", bytes(range(240, 256)), bytes(range(0, 200, 3))]])
    for pad in [None, True, False]:
        r.call("EncodeBase64", texts, pad=pad)
        r.call("EncodeBase64", EMPTY, pad=pad)
    r.call("DecodeBase64", strings([[b"", b"YQ", b"YQ=="], [b"YWI", b"YWI=", b"YWJj"]]))
    r.call("DecodeBase64", strings([b"8PHy8_T19vf4-fr7_P3-_w", b"YR", b"YR==", b"____", b"----"]))
    r.call("DecodeBase64", EMPTY)
    for text in [b"Y", b"YQ=", b"YW Jj", b"YW+/", b"====", b"YQ==YQ==", b"YQ===", b"=", b"YQ==\n",
                 b"YWJ\xff", b"Y=Q=", b"=YQ=", b"==", b"YWJj=", b"YWJj===="]:
        r.error("DecodeBase64", strings([b"YQ", text]), says="is not in base64")


def record(r):
    record_joins(r)
    record_pieces(r)
    record_substrings(r)
    record_case(r)
    record_numbers(r)
    record_as_string(r)
    record_hashes(r)
    record_patterns(r)
    record_base64(r)
