#include <string>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/handle.hpp"

namespace troupe {
namespace {

/// An op that makes a handle, or takes one, in both forms: a reference of the older graphs, or a
/// resource.
struct AccumulatorForm {
  bool is_reference;

  Op make(const std::string& name) const {
    if (is_reference) return Op(name).ref_output("handle", DType::string);
    return Op("Resource" + name).output("handle", DType::resource);
  }
  Op use(const std::string& name) const {
    if (is_reference) return Op(name).ref_input("handle", DType::string);
    return Op("Resource" + name).input("handle", DType::resource);
  }
};

Op with_accumulator_attrs(Op op) {
  return std::move(op)
      .attr("dtype", numeric())
      .attr("shape", AttrType::shape)
      .attr("container", "")
      .attr("shared_name", "")
      .attr("reduction_type", "MEAN", {"MEAN", "SUM"})
      .infer_shape([](ShapeInference& s) {
        s.set(0, {2});
        return check_container(s.attr<std::string>("container"));
      })
      .resource_handle();
}

/// Of an op with a scalar beside the handle.
Status infer_with_scalar(ShapeInference& s) { return s.need_rank(1, 0); }

void add_dense_accumulator_ops(OpCatalog& catalog, const AccumulatorForm& form) {
  catalog.add(with_accumulator_attrs(form.make("ConditionalAccumulator"))
      .doc("The accumulator `shared_name` in `container`: it adds up gradients until enough are "
           "there. Without a name only the session can use it. What is taken is their mean or "
           "their sum, as `reduction_type` says."));
  catalog.add(form.use("AccumulatorApplyGradient")
      .doc("Adds a gradient, unless `local_step` is below the accumulator's step: then it comes "
           "too late, and is dropped.")
      .input("local_step", DType::int64)
      .input("gradient", "dtype")
      .attr("dtype", numeric())
      .infer_shape(infer_with_scalar)
      .stateful());
  catalog.add(form.use("AccumulatorTakeGradient")
      .doc("Waits until the accumulator has `num_required` gradients, gives their mean or sum, and "
           "raises its step by 1.")
      .input("num_required", DType::int32)
      .output("average", "dtype")
      .attr("dtype", numeric())
      .infer_shape(infer_with_scalar)
      .stateful());
}

void add_common_ops(OpCatalog& catalog, const AccumulatorForm& form) {
  catalog.add(form.use("AccumulatorNumAccumulated")
      .doc("How many gradients the accumulator has.")
      .output("num_accumulated", DType::int32)
      .infer_shape(shapes::scalar())
      .stateful());
  catalog.add(form.use("AccumulatorSetGlobalStep")
      .doc("Sets the accumulator's step: gradients of a lower one are dropped from now on.")
      .input("new_global_step", DType::int64)
      .infer_shape(infer_with_scalar)
      .stateful());
}

void add_sparse_accumulator_ops(OpCatalog& catalog) {
  constexpr AccumulatorForm form{.is_reference = true};
  catalog.add(with_accumulator_attrs(form.make("SparseConditionalAccumulator"))
      .doc("As ConditionalAccumulator, for gradients of which only some rows are given. A mean is "
           "that of each row, over the gradients that have it."));
  catalog.add(form.use("SparseAccumulatorApplyGradient")
      .doc("Adds a gradient with these rows, unless `local_step` is below the accumulator's step. "
           "Rows of one index are added up. `gradient_shape` is that of all of it, if "
           "`has_known_shape`.")
      .input("local_step", DType::int64)
      .input("gradient_indices", DType::int64)
      .input("gradient_values", "dtype")
      .input("gradient_shape", DType::int64)
      .attr("dtype", numeric())
      .attr("has_known_shape", AttrType::boolean)
      .infer_shape(infer_with_scalar)
      .stateful());
  catalog.add(form.use("SparseAccumulatorTakeGradient")
      .doc("As AccumulatorTakeGradient; the indices of the rows rise. Of `shape`, the first size "
           "is -1 where it is not known.")
      .input("num_required", DType::int32)
      .output("indices", DType::int64)
      .output("values", "dtype")
      .output("shape", DType::int64)
      .attr("dtype", numeric())
      .infer_shape(infer_with_scalar)
      .stateful());
}

}  // namespace

void add_accumulator_ops(OpCatalog& catalog) {
  for (bool is_reference : {true, false}) {
    add_dense_accumulator_ops(catalog, {is_reference});
    add_common_ops(catalog, {is_reference});
  }
  add_sparse_accumulator_ops(catalog);
}

}  // namespace troupe
