from recorder import array

from calls._steps import record_first_step


def classes(*rows):
    return array(list(rows), "int64")


def record_of_range(r):
    for op in ["UniformCandidateSampler", "LogUniformCandidateSampler",
               "LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler"]:
        for unique in (True, False):
            for count, limit in [(5, 5), (5, 1000), (30, 37), (1, 1), (20, 2**31 - 2)]:
                if limit > 2**30 and "Unigram" in op:
                    continue  # a table of all classes
                record_first_step(
                    r, op, {"true_classes": classes([0, limit - 1], [limit // 2, 0])}, exact=False,
                    num_true=2, num_sampled=count, unique=unique, range_max=limit, seed=1, seed2=2)
        attrs = {"num_true": 1, "num_sampled": 2, "unique": True}
        record_first_step(r, op, {"true_classes": array([[]], "int64").reshape(0, 1)}, exact=False,
                          range_max=9, seed=5, seed2=6, **attrs)
        r.error(op, classes([7]), range_max=7, says="from [0, 7)", **attrs)
        r.error(op, classes([-1]), range_max=7, says="from [0, 7)", **attrs)
        r.error(op, classes([0]), range_max=1, says="differ", **attrs)
        r.error(op, classes([0, 1]), range_max=7, says="true_classes", **attrs)
        r.error(op, classes([0]), range_max=0, says="range_max", **attrs)
    for op in ["LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler"]:
        r.error(op, classes([0]), range_max=2**31 - 1, says="range_max", **attrs)
    wide = {"num_true": 1, "num_sampled": 4, "unique": False, "seed": 3, "seed2": 4}
    for op in ["UniformCandidateSampler", "LogUniformCandidateSampler"]:
        record_first_step(r, op, {"true_classes": classes([2**40])}, exact=False, range_max=2**62,
                          **wide)


def record_fixed(r):
    op = "FixedUnigramCandidateSampler"
    weights = [1.0, 4.0, 0.0, 2.5, 0.125, 30.0]
    attrs = {"num_true": 1, "num_sampled": 5, "seed": 1, "seed2": 2}

    def call(limit, unique=False, true=0, **more):
        record_first_step(r, op, {"true_classes": classes([true], [limit - 1])}, exact=False,
                          unique=unique, range_max=limit, **(attrs | more))

    call(6, unigrams=weights)
    call(6, unigrams=weights, unique=True, true=2)
    call(6, unigrams=weights, num_sampled=50)
    call(6, unigrams=weights, distortion=0.5, num_sampled=20)
    call(8, unigrams=weights, num_reserved_ids=2, num_sampled=20)
    call(3, unigrams=weights, num_shards=2, shard=1, num_sampled=20)
    call(4, unigrams=weights, num_shards=2, num_reserved_ids=1, num_sampled=20)
    call(3, unigrams=[0.0, 0.0, 0.0])
    call(1, unigrams=[5.0])
    many = [float(i * 7919 % 101) for i in range(100)]
    call(100, unigrams=many, unique=True, num_sampled=30)
    r.error(op, classes([0]), unique=False, range_max=5, unigrams=weights, says="has 6 words",
            **attrs)
    r.error(op, classes([0]), unique=False, range_max=5, says="exactly one", **attrs)
    r.error(op, classes([0]), unique=False, range_max=6, unigrams=weights, shard=1, says="0 words",
            **attrs)
    r.error(op, classes([0]), unique=False, range_max=5, vocab_file="/no/such/file",
            says="/no/such/file", code="NotFound", **attrs)
    # Only five classes have a weight.
    r.error(op, classes([0]), unique=True, range_max=6, unigrams=weights, says="differ",
            **(attrs | {"num_sampled": 6}))


def record_all(r):
    for unique in (True, False):
        record_first_step(r, "AllCandidateSampler", {"true_classes": classes([1, 2], [0, 3])},
                          num_true=2, num_sampled=4, unique=unique)
    r.error("AllCandidateSampler", classes([4]), num_true=1, num_sampled=4, unique=True,
            says="from [0, 4)")


def record_hits(r):
    op = "ComputeAccidentalHits"
    candidates = array([6, 3, 3, 9, -2], "int64")
    for true in (classes([3, 9], [0, 1], [6, 6], [-2, 8]), classes([5, 7])):
        r.call(op, true, candidates, num_true=2, known_shape=False)
    r.call(op, array([], "int64").reshape(0, 2), candidates, num_true=2, known_shape=False)
    r.call(op, classes([3]), array([], "int64"), num_true=1, known_shape=False)
    r.error(op, classes([3]), candidates, num_true=2, says="true_classes")
    r.error(op, classes([3]), classes([3]), num_true=1, says="")


def record(r):
    record_of_range(r)
    record_fixed(r)
    record_all(r)
    record_hits(r)
