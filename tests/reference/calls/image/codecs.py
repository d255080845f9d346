import struct
import zlib

import numpy as np
import tensorflow as tf
from recorder import array


def picture(height, width, channels, dtype="uint8"):
    """A smooth one: rounding errors of a transform stay small."""
    y, x, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(channels), indexing="ij")
    most = 65535 if dtype == "uint16" else 255
    return array((0.5 + 0.4 * np.sin(0.3 * y + 0.2 * x * (c + 1))) * most, dtype)


def jpeg(image, **attrs):
    return tf.raw_ops.EncodeJpeg(image=image, **attrs).numpy()


def string(value):
    return np.array(value, dtype=object)


def ints(*values):
    return array(values, "int32")


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, colour, rows, extra=b"", interlace=0):
    """A PNG file of rows of bytes."""
    data = b"".join(b"\0" + row for row in rows)
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra
            + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b""))


def bmp(image, top_down=False):
    height, width, channels = image.shape
    stride = (channels * width + 3) // 4 * 4
    order = [2, 1, 0, 3][:channels] if channels >= 3 else [0]
    rows = [row[:, order].tobytes().ljust(stride, b"\0") for row in image]
    header = struct.pack("<2sIHHIIiiHH", b"BM", 0, 0, 0, 54, 40, width,
                         -height if top_down else height, 1, 8 * channels).ljust(54, b"\0")
    return header + b"".join(rows if top_down else rows[::-1])


def jpegs(r):
    colour, grey = picture(11, 13, 3), picture(7, 9, 1)
    files = [jpeg(colour), jpeg(grey), jpeg(colour, progressive=True, quality=60),
             jpeg(colour, chroma_downsampling=False)]
    for contents in files:
        r.call("ExtractJpegShape", string(contents))
        for method in ["INTEGER_FAST", "INTEGER_ACCURATE"]:
            r.call("DecodeJpeg", string(contents), dct_method=method, known_shape=False)
    r.call("ExtractJpegShape", string(files[0]), output_type=tf.int64)
    accurate = dict(dct_method="INTEGER_ACCURATE", known_shape=False)
    for channels in [1, 3]:
        for contents in files[:2]:
            r.call("DecodeJpeg", string(contents), channels=channels, **accurate)
    for ratio in [2, 4, 8]:
        r.call("DecodeJpeg", string(files[0]), ratio=ratio, **accurate)
    r.call("DecodeJpeg", string(files[0]), fancy_upscaling=False, **accurate)
    cut = jpeg(picture(40, 16, 1))
    cut = string(cut[:len(cut) - 120])
    r.call("DecodeJpeg", cut, acceptable_fraction=0.2, **accurate)
    r.error("DecodeJpeg", cut, says="row")
    for window in [ints(0, 0, 11, 13), ints(3, 2, 5, 6), ints(10, 12, 1, 1)]:
        for contents in files:
            whole = tf.raw_ops.DecodeJpeg(contents=contents, dct_method="INTEGER_ACCURATE").numpy()
            y, x, height, width = window
            part = whole[y:y + height, x:x + width]
            if part.shape[:2] == (height, width):
                r.call("DecodeAndCropJpeg", string(contents), window, outputs=[part], **accurate)


def jpeg_errors(r):
    contents = string(jpeg(picture(11, 13, 3)))
    r.error("DecodeJpeg", string(b""), says="no JPEG")
    r.error("DecodeJpeg", string(b"GIF89a"), says="GIF image")
    r.error("DecodeJpeg", string(b"\xff\xd8\xff"), says="JPEG")
    r.error("DecodeJpeg", string(contents.item()[:100]), says="JPEG")
    r.error("ExtractJpegShape", string(b"nothing"), says="JPEG")
    r.error("DecodeJpeg", np.array([contents.item()], dtype=object), says="[1]")
    r.error("DecodeJpeg", contents, channels=4, says="1 or 3 channels")
    r.error("DecodeJpeg", contents, channels=2, says="channels")
    r.error("DecodeJpeg", contents, channels=-1, says="channels")
    r.error("DecodeJpeg", contents, ratio=3, says="ratio")
    r.error("DecodeJpeg", contents, dct_method="FLOAT", says="dct_method")
    r.error("DecodePng", contents, dtype=tf.uint16, says="uint8")
    for window in [ints(0, 0, 12, 1), ints(0, 0, 1, 14), ints(-1, 0, 1, 1), ints(5, -2, 1, 1),
                   ints(2147483647, 0, 1, 2147483647)]:
        r.error("DecodeAndCropJpeg", contents, window, says="crop window")
    r.error("DecodeAndCropJpeg", contents, ints(0, 0, 0, 1), says="0")
    r.error("DecodeAndCropJpeg", contents, ints(0, 0, 1), says="4")


def gif(frames, size, colours=128, interlaced=False, local=False):
    """A GIF file of 7 bits a pixel; a frame is its place and its pixels."""
    palette = bytes(range(3 * colours)[i] * 5 % 256 for i in range(3 * colours))
    bits = colours.bit_length() - 2
    found = b"GIF89a" + struct.pack("<HHBBB", size[1], size[0], 0 if local else 128 | bits, 0, 0)
    found += b"" if local else palette
    found += b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"
    for left, top, pixels in frames:
        height, width = pixels.shape
        order = range(height)
        if interlaced:
            order = [y for first, step in [(0, 8), (4, 8), (2, 4), (1, 2)]
                     for y in range(first, height, step)]
        flags = (64 if interlaced else 0) | (128 | bits if local else 0)
        found += b"\x2c" + struct.pack("<HHHHB", left, top, width, height, flags)
        found += palette if local else b""
        # Codes of 8 bits: the table is cleared before it takes more.
        codes = bytes(pixels[list(order)].reshape(-1).tolist())
        codes = b"".join(b"\x80" + codes[i:i + 100] for i in range(0, len(codes), 100)) + b"\x81"
        found += b"\x07"
        for i in range(0, len(codes), 255):
            found += bytes([len(codes[i:i + 255])]) + codes[i:i + 255]
        found += b"\0"
    return found + b"\x3b"


def gifs(r):
    known = {"known_shape": False}
    whole = np.arange(11 * 13).reshape(11, 13) % 128
    part = np.full((4, 5), 9)
    one = gif([(0, 0, whole)], (11, 13))
    several = gif([(0, 0, whole), (2, 3, part), (10, 9, part), (0, 0, whole[::-1])], (11, 13))
    for contents in [one, several, gif([(0, 0, whole)], (11, 13), interlaced=True),
                     gif([(0, 0, whole), (0, 0, part)], (11, 13), local=True),
                     jpeg(picture(4, 5, 3)), tf.raw_ops.EncodePng(image=picture(4, 5, 4)).numpy()]:
        r.call("DecodeGif", string(contents), **known)
    pixels = tf.raw_ops.DecodeGif(contents=one).numpy()[0]
    for op in ["DecodeJpeg", "DecodePng"]:
        r.call(op, string(one), outputs=[pixels], **known)
        r.call(op, string(one), channels=3, outputs=[pixels], **known)
        r.error(op, string(one), channels=1, says="3 channels")
        r.error(op, string(several), says="4 frames")
    r.error("DecodePng", string(one), dtype=tf.uint16, says="uint8")
    r.error("DecodeAndCropJpeg", string(one), ints(0, 0, 1, 1), says="no JPEG")
    r.error("DecodeGif", string(b"GIF89a"), says="GIF image")
    r.error("DecodeGif", string(one[:-1]), says="GIF image")
    r.error("DecodeGif", string(one[:-40]), says="GIF image")
    r.error("DecodeGif", string(gif([], (1, 1))), says="no frames")
    r.error("DecodeGif", string(gif([(1, 0, whole)], (11, 13))), says="does not fill")
    r.error("DecodeGif", string(gif([(0, 0, part), (0, 0, whole)], (11, 13))),
            says="does not fill")
    r.error("DecodeGif", string(gif([(0, 0, part)], (4, 5), colours=8)), says="colour 9 of 8")
    large = bytearray(one)
    at = one.index(b"\x2c\0\0\0\0")
    large[at + 5:at + 9] = b"\xff" * 4
    r.error("DecodeGif", string(bytes(large)), says="too large")
    r.error("DecodeGif", string(b"BM"), says="no JPEG, PNG or GIF")


def pngs(r):
    for channels in [1, 2, 3, 4]:
        for dtype in ["uint8", "uint16"]:
            contents = tf.raw_ops.EncodePng(image=picture(4, 5, channels, dtype)).numpy()
            for wanted in [0, 1, 3, 4]:
                for into in [tf.uint8, tf.uint16]:
                    r.call("DecodePng", string(contents), channels=wanted, dtype=into,
                           known_shape=False)
    palette = chunk(b"PLTE", bytes(range(10, 58)))
    clear = chunk(b"tRNS", bytes(range(100, 116)))
    rows = [bytes([0x01, 0x23]), bytes([0xfe, 0xdc])]
    for extra in [palette, palette + clear]:
        for wanted in [0, 1, 3]:
            r.call("DecodePng", string(png(4, 2, 4, 3, rows, extra)), channels=wanted,
                   known_shape=False)
    opaque = tf.raw_ops.DecodePng(contents=png(4, 2, 4, 3, rows, palette), channels=3).numpy()
    r.call("DecodePng", string(png(4, 2, 4, 3, rows, palette)), channels=4, known_shape=False,
           outputs=[np.concatenate([opaque, np.full((2, 4, 1), 255, "uint8")], axis=-1)])
    for depth in [1, 2, 4]:
        grey = png(8 // depth, 1, depth, 0, [b"\xb4"])
        r.call("DecodePng", string(grey), known_shape=False)
        r.call("DecodePng", string(grey), channels=3, known_shape=False)
    wide = png(2, 1, 16, 0, [b"\x12\x34\xab\xcd"])
    r.call("DecodePng", string(wide), dtype=tf.uint16, known_shape=False)
    # Adam7: a pixel in each of the passes 1, 6 and 7 of a square of two.
    interlaced = png(2, 2, 8, 0, [b"\x01", b"\x02", b"\x03\x04"], interlace=1)
    for into in [tf.uint8, tf.uint16]:
        r.call("DecodePng", string(interlaced), dtype=into, known_shape=False)
    r.call("DecodePng", string(jpeg(picture(8, 8, 1))), known_shape=False)
    contents = tf.raw_ops.EncodePng(image=picture(4, 5, 3)).numpy()
    r.call("DecodeJpeg", string(contents), known_shape=False)
    for end in [8, 20, 40, len(contents) - 20]:
        r.error("DecodePng", string(contents[:end]), says="PNG")
    wrong = contents[:45] + bytes([contents[45] ^ 255]) + contents[46:]
    r.error("DecodePng", string(wrong), says="PNG")
    r.error("DecodePng", string(png(1 << 16, 1 << 14, 8, 0, [])), says="too large")
    r.error("DecodePng", string(png(0, 1, 8, 0, [])), says="PNG")
    r.error("DecodePng", string(contents), channels=2, says="channels")
    r.error("DecodeAndCropJpeg", string(contents), ints(0, 0, 1, 1), says="no JPEG")


def bmps(r):
    for channels in [1, 3, 4]:
        for top_down in [False, True]:
            contents = string(bmp(picture(3, 5, channels), top_down))
            for attrs in [dict(), dict(channels=channels)]:
                r.call("DecodeBmp", contents, outputs=[picture(3, 5, channels)],
                       known_shape=False, **attrs)
    contents = bmp(picture(3, 5, 3))
    r.error("DecodeBmp", string(contents), channels=4, says="3 channels")
    r.error("DecodeBmp", string(contents[:-4]), says="needs")
    r.error("DecodeBmp", string(contents[:30]), says="32 bytes")
    r.error("DecodeBmp", string(contents[:28] + b"\x10" + contents[29:]), says="channels")
    for at, value in [(10, -1), (18, 0), (18, -5), (18, 2**31 - 1), (22, 0), (22, -2**31)]:
        wrong = contents[:at] + struct.pack("<i", value) + contents[at + 4:]
        r.error("DecodeBmp", string(wrong), says="cannot be")


def encoding(r):
    colour, grey = picture(9, 10, 3), picture(5, 6, 1)
    for image in [colour, grey]:
        r.call("EncodeJpeg", image)
        r.call("EncodeJpegVariableQuality", image, array(40, "int32"))
    for attrs in [dict(quality=20), dict(quality=0), dict(quality=100), dict(progressive=True),
                  dict(optimize_size=True), dict(chroma_downsampling=False), dict(format="rgb"),
                  dict(density_unit="cm", x_density=72, y_density=65535),
                  dict(xmp_metadata="<x/>")]:
        r.call("EncodeJpeg", colour, **attrs)
    r.call("EncodeJpeg", grey, format="grayscale")
    op = "EncodeJpeg"
    r.error(op, colour, format="grayscale", says="1 channel")
    r.error(op, grey, format="rgb", says="3 channels")
    r.error(op, picture(3, 3, 2), says="1 or 3 channels")
    r.error(op, picture(3, 3, 4), says="at most 3 channels")
    r.error(op, grey[0], says="[6,1]")
    r.error(op, colour[:0], says="at least 1")
    r.error(op, colour, quality=101, says="quality")
    r.error(op, colour, x_density=-1, says="x_density")
    r.error(op, colour, y_density=65536, says="y_density")
    r.error(op, colour, format="yuv", says="format")
    op = "EncodeJpegVariableQuality"
    r.error(op, colour, array(-1, "int32"), says="quality")
    r.error(op, colour, array([1], "int32"), says="[1]")
    r.error(op, picture(3, 3, 2), array(1, "int32"), says="1 or 3 channels")
    r.error("EncodePng", picture(2, 2, 5), says="at most 4 channels")
    r.error("EncodePng", picture(2, 2, 3)[:0], says="at least 1")
    r.error("EncodePng", picture(2, 2, 3), compression=10, says="compression")


def record(r):
    jpegs(r)
    jpeg_errors(r)
    gifs(r)
    pngs(r)
    bmps(r)
    encoding(r)
