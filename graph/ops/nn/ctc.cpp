#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The shape of the activations, [time, batch, classes], with the batch that the lengths say.
Result<Shape> activations_shape(const ShapeInference& s, int lengths) {
  if (auto status = s.need_rank(0, 3); !status.ok()) return status;
  if (auto status = s.need_rank(lengths, 1); !status.ok()) return status;
  auto shape = s.input(0).has_rank() ? s.input(0) : Shape::of_rank(3);
  auto batch = s.input(lengths).has_rank() ? s.input(lengths)[0] : Shape::unknown;
  auto merged = shape.merge({Shape::unknown, batch, Shape::unknown});
  if (merged) return merged;
  return invalid_argument(
      "sequence_length has " + std::to_string(batch) + " elements, but the inputs have the shape " +
      shape.to_string() + ", [time, batch, classes]");
}

Status infer_loss(ShapeInference& s) {
  auto shape = activations_shape(s, 3);
  if (!shape) return shape.status();
  if (!s.input(1).is_compatible_with({Shape::unknown, 2}))
    return invalid_argument(
        "labels_indices must have the shape [labels,2], but have " + s.input(1).to_string());
  if (auto status = s.need_rank(2, 1); !status.ok()) return status;
  auto rows = s.input(1).has_rank() ? s.input(1)[0] : Shape::unknown;
  if (!s.input(2).is_compatible_with({rows}))
    return invalid_argument(
        "labels_indices has " + std::to_string(rows) + " rows, but labels_values the shape " +
        s.input(2).to_string());
  s.set(0, {(*shape)[1]});
  s.set(1, *shape);
  return {};
}

/// The loss comes with its derivatives, which have none themselves.
void loss_gradient(Gradient& g) {
  auto derivatives = g.op(
      "PreventGradient", {g.out(1)},
      {{"message", "CTCLoss computes its derivatives itself, and has no second ones"}});
  auto each = g.op("ExpandDims", {g.dy(), g.constant<int32_t>(-1)});
  g.to_input(0, each * derivatives);
}

Status infer_decoder(ShapeInference& s, int64_t paths) {
  auto shape = activations_shape(s, 1);
  if (!shape) return shape.status();
  for (int path = 0; path < paths; ++path) {
    s.set(path, {Shape::unknown, 2});
    s.set(static_cast<int>(paths) + path, {Shape::unknown});
    s.set(static_cast<int>(2 * paths) + path, {2});
  }
  s.set(static_cast<int>(3 * paths), {(*shape)[1], paths});
  return {};
}

const DTypes& ctc_dtypes() {
  static const DTypes dtypes = {DType::float32, DType::float64};
  return dtypes;
}

}  // namespace

// Connectionist temporal classification: labels for a sequence without their places in it. The last
// class is the blank, which stands between labels.
void add_ctc_ops(OpCatalog& catalog) {
  catalog.add(Op("CTCLoss")
      .doc("The negative logarithm of the probability of each sequence's labels, of activations "
           "[time, batch, classes] before softmax, of which the last class is the blank; and its "
           "derivatives with respect to them. labels_indices are [batch, position], in order.")
      .input("inputs", "T")
      .input("labels_indices", DType::int64)
      .input("labels_values", DType::int32)
      .input("sequence_length", DType::int32)
      .output("loss", "T")
      .output("gradient", "T")
      .attr("preprocess_collapse_repeated", false)
      .attr("ctc_merge_repeated", true)
      .attr("ignore_longer_outputs_than_inputs", false)
      .attr("T", ctc_dtypes(), DType::float32)
      .infer_shape(infer_loss)
      .gradient(loss_gradient));
  catalog.add(Op("CTCGreedyDecoder")
      .doc("The labels of the greatest activation at each time, without blanks, as a sparse tensor "
           "[batch, position], and the negative sum of those activations for each sequence. With "
           "merge_repeated, equal labels in a row are one.")
      .input("inputs", "T")
      .input("sequence_length", DType::int32)
      .output("decoded_indices", DType::int64)
      .output("decoded_values", DType::int64)
      .output("decoded_shape", DType::int64)
      .output("log_probability", "T")
      .attr("merge_repeated", false)
      .attr("T", ctc_dtypes(), DType::float32)
      .infer_shape([](ShapeInference& s) { return infer_decoder(s, 1); })
      .gradient(not_differentiable));
  catalog.add(Op("CTCBeamSearchDecoder")
      .doc("The `top_paths` most probable sequences of labels that a search with beam_width "
           "candidates finds, as sparse tensors [batch, position], the best first, and the "
           "logarithms of their probabilities. With merge_repeated, equal labels in a row are one.")
      .input("inputs", "T")
      .input("sequence_length", DType::int32)
      .outputs("decoded_indices", DType::int64, "top_paths")
      .outputs("decoded_values", DType::int64, "top_paths")
      .outputs("decoded_shape", DType::int64, "top_paths")
      .output("log_probability", "T")
      .attr("beam_width", AttrType::integer)
      .attr("top_paths", AttrType::integer)
      .attr("merge_repeated", true)
      .attr("T", ctc_dtypes(), DType::float32)
      .attr_at_least("beam_width", 1)
      .attr_at_least("top_paths", 1)
      .infer_shape([](ShapeInference& s) {
        return infer_decoder(s, s.attr<int64_t>("top_paths"));
      })
      .gradient(not_differentiable));
}

}  // namespace troupe
