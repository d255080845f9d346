import struct

import numpy as np
import tensorflow as tf
from recorder import array

INF, NAN = float("inf"), float("nan")


def string(value):
    return np.array(value, dtype=object)


def rate(value):
    return np.array(value, "int32")


def tone(samples, channels=1, seed=0):
    """A few frequencies and noise, different in each channel."""
    random = np.random.RandomState(seed)
    t = np.arange(samples)[:, None] / 16000
    frequencies = random.uniform(100, 4000, [3, channels])
    sound = sum(np.sin(2 * np.pi * t * row) for row in frequencies) / 4
    return array(sound + random.uniform(-0.1, 0.1, [samples, channels]), "float32")


def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data


def header(channels=1, frequency=8000, bits=16, coding=1, frame_bytes=None, second_bytes=None,
           extra=b""):
    frame = 2 * channels if frame_bytes is None else frame_bytes
    second = frame * frequency if second_bytes is None else second_bytes
    return chunk(b"fmt ", struct.pack("<HHIIHH", coding, channels, frequency, second & 0xffffffff,
                                      frame, bits) + extra)


def samples(*values):
    return chunk(b"data", struct.pack(f"<{len(values)}h", *values))


def wave(*parts, size=None):
    body = b"WAVE" + b"".join(parts)
    return b"RIFF" + struct.pack("<I", len(body) if size is None else size) + body


def decoding(r):
    mono = wave(header(), samples(0, 1, -1, 32767, -32768, 16384))
    stereo = wave(header(channels=2, frequency=44100), samples(1, 2, 3, 4, 5, 6))
    for file in [mono, stereo, wave(header(extra=b"\0\0"), samples(7, 8)),
                 wave(header(), chunk(b"LIST", b"abcd"), samples(5), chunk(b"fact", b"12")),
                 wave(header(), samples()), wave(header(), samples(3), size=0),
                 wave(header(frequency=0), samples(9)),
                 wave(header(channels=2), chunk(b"data", b"\1\0\2\0"))]:
        r.call("DecodeWav", string(file), known_shape=False)
    for file in [mono, stereo]:
        for frames in [-1, 0, 2, 9]:
            for channels in [-1, 0, 1, 2, 3]:
                r.call("DecodeWav", string(file), known_shape=False, desired_samples=frames,
                       desired_channels=channels)
    # TensorFlow 1.15 ends where a chunk leads past the end of the file.
    r.call("DecodeWav", string(wave(header(), samples(3, 4), b"LIST\xff\0\0\0")), known_shape=False,
           outputs=[array([[3 / 32768], [4 / 32768]], "float32"), rate(8000)])
    # Rates are numbers without a sign in a file only, and TensorFlow 1.15 lets products overflow.
    r.call("DecodeWav", string(wave(header(frequency=2**31 + 5), samples(9))), known_shape=False,
           outputs=[array([[9 / 32768]], "float32"), rate(5 - 2**31)])
    r.error("DecodeWav", string(mono), desired_channels=-2, says="channels must be non-negative")
    r.error("DecodeWav", string(mono), desired_samples=-2, says="samples must be non-negative")
    r.error("DecodeWav", string([mono]), says="[1]")


def broken_files(r):
    mono = wave(header(), samples(0, 1))
    for count in [0, 3, 4, 10, 15, 30, 38, 42, len(mono) - 1]:
        r.error("DecodeWav", string(mono[:count]), says="Data too short")
    for file, says in [
            (b"RIFX" + mono[4:], "Expected RIFF but found RIFX"),
            (mono.replace(b"WAVE", b"AVI "), "Expected WAVE"),
            (mono.replace(b"fmt ", b"bext"), "Expected fmt "),
            (wave(header(extra=b"abc"), samples(1)), "Expected 16 or 18, but got19"),
            (wave(header(coding=3), samples(1)), "Expected 1 (PCM), but got3"),
            (wave(header(channels=0), samples(1)), "Bad number of channels"),
            (wave(header(bits=8), samples(1)), "Can only read 16-bit WAV files, but received 8"),
            (wave(header(frame_bytes=4), samples(1)), "Expected 2 but got 4"),
            (wave(header(second_bytes=1), samples(1)), "Expected 16000 but got 1"),
            (wave(header()), "No data chunk found in WAV"),
            (wave(header(extra=b"\0\0"))[:-2], "No data chunk found in WAV"),
            (wave(header(), chunk(b"LIST", b"ab")), "No data chunk found in WAV"),
            (wave(header(), samples(1), samples(2)), "More than one data chunk"),
            (wave(header(), chunk(b"data", b"\1\0\2")), "Data too short"),
            (wave(header(), b"data\x04\0\0\0\1\0"), "Data too short"),
            (wave(header(), b"data\0\0\0\x80"), "'data' is too large: 2147483648")]:
        r.error("DecodeWav", string(file), says=says)


def encoding(r):
    values = [[0.0, 1.0], [-1.0, 0.5], [1.5, -1.5], [1e-5, 1.6e-5], [INF, -INF]]
    for audio in [values, [row[:1] for row in values], [[0.25]]]:
        r.call("EncodeWav", array(audio, "float32"), rate(16000))
    r.call("EncodeWav", array([[0.5 / 32768, 1.5 / 32768, -0.5 / 32768]], "float32"), rate(1))
    for frequency in [0, -1]:
        r.error("EncodeWav", array([[0.5]], "float32"), rate(frequency), says="sample_rate must be")
    for shape, says in [([3, 0], "num_channels"), ([0, 1], "num_frames"), ([0, 0], "num_channels"),
                        ([3], "[3]"), ([1, 1, 1], "[1,1,1]")]:
        r.error("EncodeWav", array(np.zeros(shape), "float32"), rate(8000), says=says)
    r.error("EncodeWav", array([[0.5]], "float32"), rate([8000]), says="[1]")


def spectrograms(r):
    for window, stride in [(2, 1), (16, 8), (15, 4), (17, 30), (64, 64)]:
        for squared in [False, True]:
            # Sums of products of windows, so that small values carry the error of large ones.
            r.call("AudioSpectrogram", tone(100), window_size=window, stride=stride,
                   magnitude_squared=squared, tolerance=2e-5)
    r.call("AudioSpectrogram", tone(50, 3), window_size=20, stride=7, tolerance=2e-5)
    for samples_, channels in [(15, 1), (0, 2), (16, 0), (16, 1)]:
        r.call("AudioSpectrogram", tone(samples_, channels), window_size=16, stride=3,
               tolerance=2e-5)
    audio = tone(20)
    audio[7] = NAN
    audio[15] = INF
    r.call("AudioSpectrogram", audio, window_size=4, stride=4,
           outputs=[spectrum_of_not_finite(audio)])
    for attrs in [dict(window_size=1, stride=1), dict(window_size=4, stride=0)]:
        r.error("AudioSpectrogram", tone(8), says="Spectrogram initialization failed", **attrs)
    r.error("AudioSpectrogram", tone(8), window_size=-4, stride=1, says="initialization failed")
    r.error("AudioSpectrogram", tone(8)[0], window_size=4, stride=1, says="[1]")


def spectrum_of_not_finite(audio):
    """A window with NaN or infinity has no frequencies."""
    out = tf.raw_ops.AudioSpectrogram(input=np.nan_to_num(audio, posinf=0), window_size=4,
                                      stride=4).numpy()
    out[0, [1, 3]] = NAN
    return out


def cepstra(r):
    squares = tf.raw_ops.AudioSpectrogram(input=tone(300), window_size=120, stride=60,
                                          magnitude_squared=True).numpy()
    for attrs in [{}, dict(dct_coefficient_count=40), dict(dct_coefficient_count=1),
                  dict(upper_frequency_limit=8000.0, lower_frequency_limit=0.0),
                  dict(upper_frequency_limit=8124.0), dict(upper_frequency_limit=8125.0),
                  dict(upper_frequency_limit=1e30),
                  dict(lower_frequency_limit=3990.0, filterbank_channel_count=13),
                  dict(filterbank_channel_count=300, dct_coefficient_count=3)]:
        r.call("Mfcc", squares, rate(16000), tolerance=5e-6, **attrs)
    for frequency in [8000, 44100, 1]:
        r.call("Mfcc", squares[:, :2], rate(frequency), tolerance=5e-6)
    special = array([[[0, 0, 0, 0, 0], [1, NAN, 1, 1, 1], [1, 1, -1, 1, 1], [1, 2, INF, 1, 1],
                      [1e-30, 1e-30, 1e-30, 1e-30, 1e-30]]], "float32")
    r.call("Mfcc", special, rate(16000), filterbank_channel_count=2, dct_coefficient_count=2)
    for shape in [[0, 3, 9], [2, 0, 9], [2, 3, 9]]:
        r.call("Mfcc", array(np.ones(shape), "float32"), rate(16000))
    failed = "Mfcc initialization failed"
    for attrs in [dict(upper_frequency_limit=20.0), dict(lower_frequency_limit=-1.0),
                  dict(dct_coefficient_count=41), dict(dct_coefficient_count=0),
                  dict(filterbank_channel_count=0)]:
        r.error("Mfcc", squares[:, :1], rate(16000), says=failed, **attrs)
    for frequency in [0, -1]:
        r.error("Mfcc", squares[:, :1], rate(frequency), says=failed)
    r.error("Mfcc", squares[:, :1, :1], rate(16000), says=failed)
    r.error("Mfcc", squares[0], rate(16000), says="[4,65]")
    r.error("Mfcc", squares, rate([16000]), says="[1]")


def record(r):
    decoding(r)
    broken_files(r)
    encoding(r)
    spectrograms(r)
    cepstra(r)
