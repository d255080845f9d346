"""Programs that learn to speak."""

from __future__ import annotations

from typing import List

from libraries.shared import one
from program import Edits, Program

# Arguments that newer versions of librosa take by name, and what says numbers in words.
_SOUND: Edits = [
    (r"librosa\.filters\.mel\(hparams\.sample_rate, n_fft,",
     "librosa.filters.mel(sr=hparams.sample_rate, n_fft=n_fft,"),
    (r"np\.complex\b", "complex"), (r"^import inflect$", ""), (r"= inflect\.engine\(\)", "= "
     "__import__('types').SimpleNamespace(number_to_words=lambda number, **_: 'many')"),
]  # fmt: skip
_FEW = ("batch_size=2,embed_depth=8,prenet_depths=[8,8],encoder_depth=8,postnet_depth=8,"
        "attention_depth=8,decoder_depth=8,griffin_lim_iters=1,outputs_per_step=2,max_iters=60")
_STUDY = (f"--base_dir . --hparams {_FEW} --summary_interval 2 --checkpoint_interval 3")
_UNTIL: Edits = [
    *_SOUND, (r"^_batches_per_group = 32", "_batches_per_group = 2"),
    (r"while not coord\.should_stop\(\):\n(        start_time)", r"while step < 4:\n\1"),
]  # fmt: skip

SPEECH: List[Program] = [
    one("keithito/tacotron", "train.py", _STUDY, _UNTIL, "spoken sentences",
        before=["preprocess.py --base_dir . --dataset ljspeech --num_workers 1".split()]),
    one("keithito/tacotron", "eval.py",
        f"--checkpoint logs-tacotron/model.ckpt-3 --hparams {_FEW}", _UNTIL, "spoken sentences",
        before=["preprocess.py --base_dir . --dataset ljspeech --num_workers 1".split(),
                ["train.py", *_STUDY.split()]]),
    *(
        one("Kyubyong/dc_tts", "train.py", str(number),
            [(r"data = \"/data/private/voice/LJSpeech-1.0\"", "data = 'LJSpeech-1.1'"),
             (r"transcript\.csv", "metadata.csv"), (r"^    B = 32", "    B = 2"),
             (r"while 1:", "for _ in [0]:"),
             (r"basename\(fpath\)\n +mel =", "basename(fpath.decode())\n                mel ="),
             (r"(    [ec]) = \d+", r"\1 = 8"),
             (r"(    d) = \d+", r"\1 = 8"), (r"% 1000 ==", "% 2 =="),
             (r"librosa\.filters\.mel\(hp\.sr, hp\.n_fft, hp\.n_mels\)",
              "librosa.filters.mel(sr=hp.sr, n_fft=hp.n_fft, n_mels=hp.n_mels)"),
             (r"np\.array\((.*)\)\.tostring\(\)", r"np.array(\1).tobytes()")],
            "spoken sentences", name=f"Kyubyong/dc_tts, {kind}", before=[["prepo.py"]], seconds=500)
        for number, kind in ((1, "Text2Mel"), (2, "SSRN"))
    ),
]  # fmt: skip
