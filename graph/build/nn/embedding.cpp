#include "troupe/graph/build/nn/embedding.hpp"

#include <functional>

#include "troupe/graph/build/optimizers/clip.hpp"

namespace troupe::nn {

namespace {

/// A part of a table: its shape, and how to read rows of it.
struct TablePart {
  Shape shape;
  std::function<Value(const Builder&, const Value& ids)> rows_at;
  std::function<Value(const Builder&)> sizes;
};

/// Which part has each id, and at which of its rows.
struct PartAndRow {
  Value part;
  Value row;
};

PartAndRow by_modulus(const Builder& b, const Value& ids, const Value& count) {
  return {b.op("FloorMod", {ids, count}), b.op("FloorDiv", {ids, count})};
}

/// Each part has successive rows.
PartAndRow by_division(
    const Builder& b, const std::vector<TablePart>& parts, const Value& ids, const Value& count) {
  Values row_counts;
  for (const auto& part : parts)
    row_counts.push_back(b.op("Slice", {part.sizes(b), b.ints({0}), b.ints({1})}));
  auto total = Operand(b.reduce_sum(b.add_n(row_counts))).tensor(b, ids.dtype());
  auto each = b.op("FloorDiv", {total, count}), longer = b.op("FloorMod", {total, count});
  // The first `longer` parts have each + 1 rows.
  auto of_longer = b.op("FloorDiv", {ids, each + 1.0});
  auto after = b.op("FloorDiv", {ids - longer, b.op("Maximum", {each, b.like(each, 1)})});
  auto part = b.op("Maximum", {of_longer, after});
  return {part, ids - (part * each + b.op("Minimum", {part, longer}))};
}

Value from_parts(
    const Builder& b, const std::vector<TablePart>& parts, const Value& ids,
    const std::string& strategy) {
  auto count = b.like(ids, static_cast<double>(parts.size()));
  auto place = strategy == "mod" ? by_modulus(b, ids, count) : by_division(b, parts, ids, count);
  Value found;
  for (size_t number = 0; number < parts.size(); ++number) {
    auto is_here = b.equal(place.part, b.like(ids, static_cast<double>(number)));
    auto own = b.op("SelectV2", {is_here, place.row, b.zeros_like(place.row)});
    auto rows = parts[number].rows_at(b, own);
    if (number == 0) {
      found = rows;
      continue;
    }
    auto mask = is_here;
    for (int axis = 1; axis < parts[0].shape.rank(); ++axis)
      mask = b.op("ExpandDims", {mask, b.constant<int32_t>(-1)});
    found = b.op("SelectV2", {mask, rows, found});
  }
  return found;
}

Status check_lookup(const std::vector<TablePart>& parts, const EmbeddingLookupOptions& options) {
  const auto& strategy = options.partition_strategy;
  if (parts.empty()) return invalid_argument("Need at least one param");
  if (strategy != "mod" && strategy != "div")
    return invalid_argument("Unrecognized partition strategy: " + strategy);
  if (parts.size() > 1 && parts[0].shape.rank() < 1)
    return invalid_argument("the rank of a partitioned table must be known, and at least 1");
  return {};
}

Value lookup(
    const Builder& builder, const std::vector<TablePart>& parts, const Value& ids,
    const EmbeddingLookupOptions& options) {
  auto fail = [&](Status status) {
    builder.fail(std::move(status));
    return Value();
  };
  auto b = builder.scope("embedding_lookup");
  if (auto status = check_lookup(parts, options); !status.ok()) return fail(status);
  auto numbers = Operand(ids).tensor(b);
  if (!numbers.is_valid()) return {};
  auto rows = parts.size() == 1 ? parts[0].rows_at(b, numbers)
                                : from_parts(b, parts, numbers, options.partition_strategy);
  if (!rows.is_valid() || !options.max_norm) return rows;
  if (!rows.shape().has_rank() || !numbers.shape().has_rank())
    return fail(invalid_argument("the ranks of a table and its ids must be known for a max_norm"));
  std::vector<int32_t> axes;
  for (int axis = numbers.shape().rank(); axis < rows.shape().rank(); ++axis) axes.push_back(axis);
  return clip_by_norm(b, rows, *options.max_norm, axes);
}

}  // namespace

Value embedding_lookup(
    const Builder& builder, const std::vector<Variable>& params, const Value& ids,
    const EmbeddingLookupOptions& options) {
  std::vector<TablePart> parts;
  for (const auto& table : params)
    parts.push_back(
        {.shape = table.shape,
         .rows_at =
             [table](const Builder& b, const Value& rows) {
               auto here = b.on(b.graph().node(table.handle.output().node).device);
               return b.value(
                   here.op("ResourceGather", {table.handle, rows}, {{"dtype", table.dtype}})
                       .output());
             },
         .sizes = [table](const Builder& b) { return b.op("VariableShape", {table.handle}); }});
  for (const auto& table : params)
    if (!table.handle.is_valid() || &table.handle.builder().graph() != &builder.graph()) {
      builder.fail(invalid_argument("a table belongs to no node of this graph"));
      return {};
    }
  return lookup(builder, parts, ids, options);
}

Value embedding_lookup_in_tensors(
    const Builder& builder, const Values& params, const Value& ids,
    const EmbeddingLookupOptions& options) {
  std::vector<TablePart> parts;
  for (const auto& table : params)
    parts.push_back(
        {.shape = table.shape(),
         .rows_at =
             [table](const Builder& b, const Value& rows) {
               return b.op("GatherV2", {table, rows, b.constant<int32_t>(0)});
             },
         .sizes = [table](const Builder& b) { return b.op("Shape", {table}); }});
  return lookup(builder, parts, ids, options);
}

}  // namespace troupe::nn
