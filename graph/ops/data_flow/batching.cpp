#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/handle.hpp"

namespace troupe {
namespace {

/// The attributes of ops that gather rows of several steps.
Op gathering(Op op) {
  return std::move(op)
      .attr("num_batch_threads", AttrType::integer)
      .attr("max_batch_size", AttrType::integer)
      .attr("max_enqueued_batches", 10)
      .attr("batch_timeout_micros", AttrType::integer)
      .attr("allowed_batch_sizes", std::vector<int64_t>())
      .attr("container", "")
      .attr("shared_name", "")
      .attr("batching_queue", "")
      .named_resource();
}

/// The shape with any number of rows.
Result<Shape> with_any_rows(const Shape& shape) {
  if (shape.is_scalar()) return invalid_argument("a tensor of batches must have at least one axis");
  auto rows = shape;
  if (rows.has_rank()) rows.set(0, Shape::unknown);
  return rows;
}

Status infer_batch(ShapeInference& s) {
  if (auto status = check_container(s.attr<std::string>("container")); !status.ok()) return status;
  for (int i = 0; i < s.input_count(); ++i) {
    auto rows = with_any_rows(s.input(i));
    if (!rows) return rows.status();
    s.set(i, *rows);
  }
  s.set(s.input_count(), {Shape::unknown, 3});
  s.set(s.input_count() + 1, Shape());
  return {};
}

Status infer_unbatch(ShapeInference& s) {
  if (auto status = check_container(s.attr<std::string>("container")); !status.ok()) return status;
  auto rows = with_any_rows(s.input(0));
  if (!rows) return rows.status();
  s.set(0, *rows);
  return {};
}

Status infer_unbatch_gradient(ShapeInference& s) {
  if (auto status = check_container(s.attr<std::string>("container")); !status.ok()) return status;
  if (s.input(2).has_rank()) s.set(0, Shape::of_rank(s.input(2).rank()));
  return {};
}

/// The gradients of the rows go back to the steps that they came from.
void batch_gradient(Gradient& g) {
  auto count = g.input_count();
  auto timeout = g.node().attr<int64_t>("grad_timeout_micros");
  for (int i = 0; i < count; ++i) {
    if (!g.wants(i)) continue;
    auto name = "batch_gradient_" + g.node().name + "_" + std::to_string(i);
    g.to_input(
        i, g.op("Unbatch", {g.dy(i), g.out(count), g.out(count + 1)},
                {{"timeout_micros", timeout}, {"shared_name", name}}));
  }
}

void add_unbatching_ops(OpCatalog& catalog) {
  catalog.add(Op("Unbatch")
      .doc("The rows of the launch of that id: of a tensor with rows for each of the launches in "
           "`batch_index`, which one of them has. DeadlineExceeded where they do not come in "
           "`timeout_micros`.")
      .input("batched_tensor", "T")
      .input("batch_index", DType::int64)
      .input("id", DType::int64)
      .output("unbatched_tensor", "T")
      .attr("timeout_micros", AttrType::integer)
      .attr("container", "")
      .attr("shared_name", "")
      .attr("T", all_dtypes())
      .infer_shape(infer_unbatch)
      .gradient([](Gradient& g) {
        if (g.wants(0))
          g.to_input(
              0, g.op("UnbatchGrad", {g.in(0), g.in(1), g.dy(), g.in(2)},
                      {{"shared_name", "unbatch_gradient_" + g.node().name}}));
      })
      .named_resource());
  catalog.add(Op("UnbatchGrad")
      .doc("The gradient of Unbatch with respect to the tensor: the gradients of all launches in "
           "`batch_index`, one after the other, for the launch that has that, and no rows for the "
           "others.")
      .input("original_input", "T")
      .input("batch_index", DType::int64)
      .input("grad", "T")
      .input("id", DType::int64)
      .output("batched_grad", "T")
      .attr("container", "")
      .attr("shared_name", "")
      .attr("T", all_dtypes())
      .infer_shape(infer_unbatch_gradient)
      .named_resource());
}

}  // namespace

// Batches of rows that steps which run at the same time bring; an id tells whose they are.
void add_batching_ops(OpCatalog& catalog) {
  catalog.add(gathering(
      Op("Batch")
          .doc("The rows of several steps, one after the other: of as many as fit in "
               "`max_batch_size` rows, or come in `batch_timeout_micros`. One of the steps gets "
               "them, with a row of id, begin and end for each of the steps; the others get none. "
               "Batches are padded by copies of a row to one of the `allowed_batch_sizes`.")
          .inputs("in_tensors", "T")
          .outputs("batched_tensors", "T")
          .output("batch_index", DType::int64)
          .output("id", DType::int64)
          .attr("grad_timeout_micros", AttrType::integer)
          .attr("T", AttrType::dtypes)
          .attr_at_least("T", 1)
          .infer_shape(infer_batch)
          .gradient(batch_gradient)));
  catalog.add(gathering(
      Op("BatchFunction")
          .doc("The step's rows of what a function makes of the rows of several steps, as Batch "
               "gathers them. Other arguments are the same for all rows.")
          .inputs("in_tensors", "Tin")
          .inputs("captured_tensors", "Tcaptured")
          .outputs("out_tensors", "Tout")
          .attr("f", AttrType::function)
          .attr("Tin", AttrType::dtypes)
          .attr_at_least("Tin", 1)
          .attr("Tcaptured", AttrType::dtypes)
          .attr("Tout", AttrType::dtypes)
          .infer_shape([](ShapeInference& s) {
            return check_container(s.attr<std::string>("container"));
          })));
  add_unbatching_ops(catalog);
}

}  // namespace troupe
