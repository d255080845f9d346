"""Sentences, and how they sound."""

from __future__ import annotations

import pathlib
import wave
from typing import Callable, Dict

import numpy as np

_RATE = 22050


def make_spoken_sentences(folder: pathlib.Path) -> None:
    """LJSpeech-1.1: files of tones, a tone a word, and what they say."""
    random = np.random.RandomState(0)
    place = folder / "LJSpeech-1.1"
    (place / "wavs").mkdir(parents=True)
    lines = []
    for index in range(24):
        words = random.choice(["king", "queen", "war", "peace"], random.randint(3, 6))
        times = np.arange(_RATE // 5) / _RATE
        tones = [np.sin(2 * np.pi * 200 * len(word) * times) for word in words]
        sound = 0.5 * np.concatenate(tones) + 0.01 * random.randn(len(words) * len(times))
        with wave.open(str(place / f"wavs/LJ{index:03}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(_RATE)
            file.writeframes((sound.clip(-1, 1) * 32767).astype("<i2").tobytes())
        text = " ".join(words) + "."
        lines.append(f"LJ{index:03}|{text}|{text}")
    (place / "metadata.csv").write_text("\n".join(lines) + "\n")


MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {"spoken sentences": make_spoken_sentences}
