#include "troupe/graph/build/layers/core.hpp"

#include <numeric>

#include "troupe/graph/build/nn/embedding.hpp"

namespace troupe::layers {

namespace {

/// inputs kernel along the last axis, of any rank.
Value product_along_last(const Builder& b, const Value& inputs, const Value& kernel) {
  const auto& shape = inputs.shape();
  if (shape.rank() == 2) return b.matmul(inputs, kernel);
  auto size = static_cast<int32_t>(shape[shape.rank() - 1]);
  auto rows = b.reshape(inputs, b.ints({-1, size}));
  auto outer = b.op(
      "Slice", {b.shape_of(inputs), b.ints({0}), b.ints({static_cast<int32_t>(shape.rank() - 1)})});
  auto units = b.ints({static_cast<int32_t>(kernel.shape()[1])});
  auto whole = b.op("ConcatV2", {outer, units, b.constant<int32_t>(0)});
  return b.reshape(b.matmul(rows, kernel), whole);
}

/// The product of all sizes but the first; Shape::unknown where one of them is.
int64_t size_of_rows(const Shape& shape) {
  int64_t size = 1;
  for (int axis = 1; axis < shape.rank(); ++axis) {
    if (shape[axis] == Shape::unknown) return Shape::unknown;
    size *= shape[axis];
  }
  return size;
}

}  // namespace

Layer dense(
    const Builder& builder, const Value& inputs, int64_t units, const DenseOptions& options) {
  LayerBuilder layer(builder, "dense", options.scope);
  const auto& b = layer.nodes();
  auto tensor = Operand(inputs).tensor(b);
  if (!tensor.is_valid()) return {};
  auto rank = tensor.shape().rank();
  if (rank < 2 || tensor.shape()[rank - 1] == Shape::unknown)
    return layer.fail(invalid_argument(
        "the inputs of a dense layer need a rank of at least 2 and a known last size, not " +
        tensor.shape().to_string()));
  if (units < 1) return layer.fail(invalid_argument("a dense layer needs at least one unit"));
  auto kernel = layer.add_and_read(
      {"kernel", {tensor.shape()[rank - 1], units}, tensor.dtype(), options.kernel_initializer});
  if (!kernel.is_valid()) return {};
  auto outputs = product_along_last(b, tensor, kernel);
  if (options.use_bias)
    outputs = nn::bias_add(
        b, outputs,
        layer.add_and_read({"bias", {units}, tensor.dtype(), options.bias_initializer}));
  return layer.finish(options.activation ? options.activation(b, outputs) : outputs);
}

Layer dropout(const Builder& builder, const Value& inputs, const DropoutOptions& options) {
  LayerBuilder layer(builder, "dropout");
  const auto& b = layer.nodes();
  auto dropped = [&] {
    return nn::dropout(
        b, inputs,
        {.rate = options.rate, .noise_shape = options.noise_shape, .seed = options.seed});
  };
  return layer.finish(
      if_training(b, options.training, dropped, [&] { return b.identity(inputs); }));
}

Layer flatten(const Builder& builder, const Value& inputs, const std::string& data_format) {
  LayerBuilder layer(builder, "flatten");
  const auto& b = layer.nodes();
  auto tensor = Operand(inputs).tensor(b);
  if (!tensor.is_valid()) return {};
  auto rank = tensor.shape().rank();
  if (rank < 1) return layer.fail(invalid_argument("flatten needs a known rank of at least 1"));
  if (data_format != "channels_last" && data_format != "channels_first")
    return layer.fail(
        invalid_argument("data_format must be channels_first or channels_last: " + data_format));
  if (data_format == "channels_first" && rank > 2) {
    std::vector<int32_t> order(static_cast<size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    order.erase(order.begin() + 1);
    order.push_back(1);
    tensor = b.op("Transpose", {tensor, b.ints(order)});
  }
  auto size = size_of_rows(tensor.shape());
  if (size > 0) return layer.finish(b.reshape(tensor, b.ints({-1, static_cast<int32_t>(size)})));
  auto rest = b.ints({static_cast<int32_t>(size)});  // -1, or 0
  auto first = b.op("Slice", {b.shape_of(tensor), b.ints({0}), b.ints({1})});
  return layer.finish(b.reshape(tensor, b.op("ConcatV2", {first, rest, b.constant<int32_t>(0)})));
}

Layer embedding(
    const Builder& builder, const Value& ids, int64_t input_dim, int64_t output_dim,
    const EmbeddingOptions& options) {
  LayerBuilder layer(builder, "embedding", options.scope);
  const auto& b = layer.nodes();
  if (input_dim < 1 || output_dim < 1)
    return layer.fail(invalid_argument("an embedding needs at least one row and one column"));
  auto table = layer.add(
      {"embeddings", {input_dim, output_dim}, options.dtype, options.embeddings_initializer});
  if (!table.handle.is_valid()) return {};
  auto rows = nn::embedding_lookup(b, {table}, ids);
  if (!options.scope.trainable && rows.is_valid()) rows = b.op("StopGradient", {rows});
  return layer.finish(rows);
}

}  // namespace troupe::layers
