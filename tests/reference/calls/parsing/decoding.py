import gzip
import json
import zlib

import numpy as np
from recorder import array


def strings(values):
    return array(values, "string")


def squeeze(data, window, level=6):
    packer = zlib.compressobj(level, zlib.DEFLATED, window)
    return packer.compress(data) + packer.flush()


def record_compressed(r):
    data = [b"", b"a", b"hello hello hello hello", bytes(range(256)) * 3, b"z" * 9000]
    r.call("DecodeCompressed", strings(data))
    for kind, window in [("ZLIB", 15), ("GZIP", 31)]:
        packed = [squeeze(each, window) for each in data]
        r.call("DecodeCompressed", strings(packed), compression_type=kind)
        r.call("DecodeCompressed", strings([[packed[1]], [packed[2]]]), compression_type=kind)
        r.call("DecodeCompressed", strings(packed[2]), compression_type=kind)
        r.call("DecodeCompressed", strings([b""]), compression_type=kind)
        r.call("DecodeCompressed", strings([]), compression_type=kind)
        for level in [0, 9]:
            r.call("DecodeCompressed", strings(squeeze(data[3], window, level)),
                   compression_type=kind)
        # What follows a stream is ignored, as by TensorFlow 1.15; later ones go on with it.
        r.call("DecodeCompressed", strings([packed[2] + b"rest", packed[1] + packed[2]]),
               compression_type=kind, outputs=[strings([data[2], data[1]])])
        other = squeeze(data[2], 46 - window)
        for broken in [b"nonsense", other, packed[2][:10] + b"\xff\xff" + packed[2][12:],
                       packed[2][:-1] + b"?", bytes(50)]:
            r.error("DecodeCompressed", strings([packed[1], broken]), compression_type=kind,
                    code="DataLoss", says="inflate() failed")
        # TensorFlow takes what there is of such a stream.
        for end in [1, 5, len(packed[2]) - 1]:
            r.error("DecodeCompressed", strings(packed[2][:end]), compression_type=kind,
                    code="DataLoss", says="end too early")
    r.call("DecodeCompressed", strings(gzip.compress(data[2], mtime=0)), compression_type="GZIP")
    for kind in ["zlib", "SNAPPY"]:
        r.error("DecodeCompressed", strings(b"a"), compression_type=kind, says="compression_type")


def record_json(r):
    def feature(kind, values):
        return {kind: {"value": values}}

    def example(**features):
        return json.dumps({"features": {"feature": features}})

    full = example(f=feature("floatList", [1, -2.5, "Infinity", "NaN", 1e-3]),
                   i=feature("int64List", [1, "-9223372036854775808", 2**53]),
                   b=feature("bytesList", ["aGVsbG8=", ""]))
    renamed = full.replace("floatList", "float_list").replace("int64List", "int64_list")
    for shape in [[full, renamed], [[full], ["{}"]], "{}", [], example(),
                  example(a={}), ' { "features" : null } ']:
        r.call("DecodeJSONExample", np.array(shape, dtype=object))
    for wrong in ["", "nonsense", "{", full[:-1], full + "}", "[]", "3", '{"other": 1}',
                  example(a=feature("floatList", ["x"])), example(a=feature("int64List", [1.5])),
                  example(a=feature("bytesList", ["?"])), "[" * 200, '{"features":' * 200]:
        r.error("DecodeJSONExample", strings(["{}", wrong]), says="Error while parsing JSON")


def record(r):
    record_compressed(r)
    record_json(r)
