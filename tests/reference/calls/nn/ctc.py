import numpy as np
from recorder import array

DTYPES = ["float32", "float64"]


def activations(times, batch, classes, dtype, seed=1):
    return array(np.random.RandomState(seed).randn(times, batch, classes) * 2, dtype)


def labels_of(sequences):
    indices = [[b, i] for b, labels in enumerate(sequences) for i in range(len(labels))]
    values = [label for labels in sequences for label in labels]
    return array(np.reshape(indices, (-1, 2)), "int64"), array(values, "int32")


def lengths_of(*lengths):
    return array(lengths, "int32")


def record_loss(r):
    op = "CTCLoss"
    # TensorFlow adds logarithms as floats, of doubles too. The gradients have none themselves.
    options = {"gradient": [], "tolerance": 1e-5}
    for dtype in DTYPES:
        x = activations(6, 3, 4, dtype)
        indices, values = labels_of([[0, 1, 1], [2], [2, 0, 1, 0]])
        lengths = lengths_of(6, 4, 5)
        r.call(op, x, indices, values, lengths, **options)
        for collapse in [False, True]:
            for merge in [False, True]:
                r.call(op, x, indices, values, lengths, **options,
                       preprocess_collapse_repeated=collapse, ctc_merge_repeated=merge)
        r.call(op, x, indices, values, lengths_of(2, 4, 0), **options,
               ignore_longer_outputs_than_inputs=True)
        # No time for the blank between two equal labels: no way at all.
        r.call(op, x, *labels_of([[1, 1], [0, 2], [2]]), lengths_of(2, 2, 1), **options)
        # Blanks at the end of labels.
        r.call(op, x, *labels_of([[1, 3], [0, 2, 3, 3], [2]]), lengths, **options)
        r.call(op, x * 8, indices, values, lengths, gradient=[], tolerance=1e-4)
    r.call(op, activations(1, 1, 2, "float64"), *labels_of([[0]]), lengths_of(1), **options)
    r.call(op, activations(2, 1, 9, "float32"), *labels_of([[7]]), lengths_of(2), **options)
    uniform = np.zeros((3, 1, 2), "float64")  # of 8 ways, 6 are one label
    slope = [0, 0, -1 / 6, 1 / 6, 0, 0]
    r.call(op, uniform, *labels_of([[0]]), lengths_of(3), gradient=[], outputs=[
        array([-np.log(6 / 8)], "float64"), array(np.reshape(slope, (3, 1, 2)), "float64")])


def record_loss_errors(r):
    op, x, lengths = "CTCLoss", activations(6, 2, 4, "float32"), lengths_of(6, 4)
    good = labels_of([[0, 1], [2]])
    r.error(op, x, *labels_of([[0, 1], []]), lengths, says="sequence 1 of the batch has no labels")
    r.error(op, x, *labels_of([[0, -1], [1]]), lengths, says="the label -1 is negative")
    r.error(op, x, *labels_of([[0, 3, 1], [1]]), lengths, says="comes after a blank one")
    r.error(op, x, *labels_of([[0], [1, 2, 0, 1, 2]]), lengths, says="only the length 4")
    r.error(op, x, *labels_of([[0], [1], [2]]), lengths, says="the label index [2,0]")
    r.error(op, x, array([[0, 0], [1, -1]], "int64"), array([1, 1], "int32"), lengths,
            says="the label index [1,-1]")
    r.error(op, x, array([[1, 0], [0, 0]], "int64"), array([1, 1], "int32"), lengths,
            says="[0,0] comes after [1,0]")
    r.error(op, x, array([[0, 0], [0, 0]], "int64"), array([1, 1], "int32"), lengths,
            says="in order")
    r.error(op, x, array([[0, 0, 0]], "int64"), array([1], "int32"), lengths, says="[labels,2]")
    r.error(op, x, good[0], good[1][:1], lengths, says="")
    r.error(op, x, *good, lengths_of(7, 4), says="the sequence length 7 is not in [0, 6]")
    r.error(op, x, *good, lengths_of(6, -1), says="the sequence length -1")
    r.error(op, x, *good, lengths_of(6), says="")
    r.error(op, x[0], *good, lengths, says="")
    r.error(op, x[:0], *good, lengths_of(0, 0), says="at least one time")
    r.error(op, x[:, :, :0], *good, lengths, says="one class")
    r.error(op, x[:, :0], *labels_of([]), lengths_of(), says="no sequences")
    r.error(op, x, *good, array([[6, 4]], "int32"), says="")


def record_greedy(r):
    op = "CTCGreedyDecoder"
    for dtype in DTYPES:
        x = activations(8, 3, 3, dtype, seed=5)
        for merge in [False, True]:
            r.call(op, x, lengths_of(8, 5, 0), merge_repeated=merge, known_shape=False)
    x = np.zeros((5, 1, 3), "float32")
    for time, label in enumerate([1, 1, 2, 1, 0]):
        x[time, 0, label] = 1
    r.call(op, x, lengths_of(5), merge_repeated=True, known_shape=False)
    r.call(op, x, lengths_of(4), known_shape=False)
    r.call(op, x * 0, lengths_of(3), known_shape=False)  # the first of equal ones
    r.call(op, x[:, :0], lengths_of(), known_shape=False, outputs=[
        np.zeros((0, 2), "int64"), np.zeros(0, "int64"), array([0, 0], "int64"),
        np.zeros((0, 1), "float32")])


def record_search(r):
    op = "CTCBeamSearchDecoder"
    for dtype in DTYPES:
        x = activations(7, 3, 4, dtype, seed=3)
        for width, paths in [(1, 1), (3, 2), (20, 4), (100, 1)]:
            for merge in [False, True]:
                r.call(op, x, lengths_of(7, 4, 2), beam_width=width, top_paths=paths,
                       merge_repeated=merge, known_shape=False, tolerance=1e-5)
    x = activations(12, 1, 6, "float32", seed=11)
    r.call(op, x, lengths_of(12), beam_width=7, top_paths=7, merge_repeated=False,
           known_shape=False, tolerance=1e-5)
    likely = np.log(np.array([[[0.3, 0.7]], [[0.4, 0.6]]]))
    r.call(op, likely, lengths_of(2), beam_width=2, top_paths=2, known_shape=False, outputs=[
        array([[0, 0]], "int64"), np.zeros((0, 2), "int64"), array([0], "int64"),
        array([], "int64"), array([1, 1], "int64"), array([1, 0], "int64"),
        array([[np.log(0.58), np.log(0.42)]], "float64")])
    r.call(op, x, lengths_of(0), beam_width=2, top_paths=1, known_shape=False)
    r.error(op, x, lengths_of(0), beam_width=2, top_paths=2, says="only 1")
    r.error(op, x, lengths_of(12), beam_width=2, top_paths=3, says="more than the beam_width")
    r.error(op, x, lengths_of(12), beam_width=0, top_paths=1, says="beam_width")


def record_decoder_errors(r):
    x = activations(4, 2, 3, "float32")
    search = {"beam_width": 2, "top_paths": 1}
    for op, options in [("CTCGreedyDecoder", {}), ("CTCBeamSearchDecoder", search)]:
        r.error(op, x, lengths_of(5, 4), **options, says="the sequence length 5")
        r.error(op, x, lengths_of(4, -2), **options, says="the sequence length -2")
        r.error(op, x, lengths_of(4), **options, says="")
        r.error(op, x[:, :, :0], lengths_of(4, 4), **options, says="one class")
        r.error(op, x[:0], lengths_of(0, 0), **options, says="one time")
        r.error(op, x[0], lengths_of(4, 4), **options, says="")


def record(r):
    record_loss(r)
    record_loss_errors(r)
    record_greedy(r)
    record_search(r)
    record_decoder_errors(r)
