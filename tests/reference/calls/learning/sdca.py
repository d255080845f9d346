from recorder import array

LOSSES = ["logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss", "poisson_loss"]
# One example, and four that have no feature in common: the order has no effect.
ONE = {
    "examples": [[0, 0], [0, 0, 0]],
    "features": [[7, 5], [1, 0, 2]],
    "values": [[0.5, -1.5]],
    "dense": [[[2.0, -1.0]]],
    "weights": [3.0],
    "labels": [1.0],
    "indices": [[5, 6, 7], [2, 1, 0, 9]],
    "sparse_weights": [[0.3, -0.8, 0.0], [0.1, 0.2, -0.3, 0.4]],
    "dense_weights": [[0.9, -0.2]],
    "state": [[0.25, 0.0, 0.0, 0.0]],
}
APART = {
    "examples": [[0, 0, 1, 3]],
    "features": [[10, 20, 30, 40]],
    "values": [],
    "dense": [],
    "weights": [1.0, 0.5, 2.0, 4.0],
    "labels": [1.0, 0.0, 1.0, 0.0],
    "indices": [[40, 30, 20, 10, 0]],
    "sparse_weights": [[0.5, -1.0, 2.0, -3.0, 9.0]],
    "dense_weights": [],
    "state": [[0.0] * 4] * 4,
}


def ascend(call, batch, version=2, **more):
    options = {
        "loss_type": "squared_loss",
        "l1": 0.5,
        "l2": 2.0,
        "num_loss_partitions": 2,
        "num_inner_iterations": 1,
        "num_sparse_features": len(batch["features"]),
        "num_sparse_features_with_values": len(batch["values"]),
        "num_dense_features": len(batch["dense"]),
        # It is true by default in TensorFlow's Python alone.
        "adaptive" if version == 2 else "adaptative": False,
        **more,
    }

    def floats(values):
        return [array(each, "float32") for each in values]

    def ints(values):
        return [array(each, "int64") for each in values]

    call("SdcaOptimizerV2" if version == 2 else "SdcaOptimizer",
         ints(batch["examples"]), ints(batch["features"]), floats(batch["values"]),
         floats(batch["dense"]), array(batch["weights"], "float32"),
         array(batch["labels"], "float32"), ints(batch["indices"]),
         floats(batch["sparse_weights"]), floats(batch["dense_weights"]),
         array(batch["state"], "float32"), **options)


def record(r):
    known = {"known_shape": False}
    for loss in LOSSES:
        ascend(r.call, ONE, loss_type=loss, **known)
        ascend(r.call, ONE, loss_type=loss, adaptive=True, l1=0.0, **known)
        ascend(r.call, {**ONE, "labels": [0.0]}, loss_type=loss, version=1, **known)
        ascend(r.call, APART, loss_type=loss, **known)
    ascend(r.call, {**ONE, "labels": [-7.5]}, num_loss_partitions=1, l2=0.125, **known)
    wrong = {"says": "Only labels of 0.0 or 1.0 are supported right now"}
    ascend(r.error, {**ONE, "labels": [2.0]}, loss_type="hinge_loss", **wrong)
    wrong = {"says": "Only non-negative labels can be used with the Poisson log loss"}
    ascend(r.error, {**ONE, "labels": [-1.0]}, loss_type="poisson_loss", **wrong)
    missing = {**ONE, "features": [[7, 4], [1, 0, 2]]}
    ascend(r.error, missing, says="Found sparse feature indices out of valid range: 4")
    twice = {**ONE, "features": [[7, 7], [1, 0, 2]]}
    ascend(r.error, twice, says="Duplicate index in sparse vector.")
    ascend(r.error, {**ONE, "labels": [1.0, 0.0]}, says="Expected 1 example labels but got 2")
    for shape in ([0], [5]):
        r.call("SdcaFprint", array(["", "a", "abc" * 5, "x" * 17, "z" * 300][: shape[0]], "string"))
    r.error("SdcaFprint", array("a", "string"), says="[]")
