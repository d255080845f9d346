#include <algorithm>
#include <functional>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

Status infer_decode_raw(ShapeInference& s) {
  const auto& in = s.input(0);
  if (!in.has_rank()) return {};
  std::vector<int64_t> sizes(in.sizes().begin(), in.sizes().end());
  sizes.push_back(Shape::unknown);
  auto shape = Shape::make(sizes);
  if (shape) s.set(0, *shape);
  return shape.status();
}

/// Fails unless the columns are in order and as many as there are outputs.
Status check_columns(const std::vector<int64_t>& columns, size_t outputs) {
  if (columns.empty()) return {};
  if (columns.size() != outputs)
    return invalid_argument(
        "select_cols must have " + std::to_string(outputs) + " columns, one for each output, not " +
        std::to_string(columns.size()));
  if (columns.front() < 0 || std::ranges::adjacent_find(columns, std::greater_equal()) !=
                                 columns.end())
    return invalid_argument("select_cols must be strictly increasing from 0 or more on");
  return {};
}

Status infer_decode_csv(ShapeInference& s) {
  const DTypes allowed = {
      DType::float32, DType::float64, DType::int32, DType::int64, DType::string};
  const auto& dtypes = s.attr<DTypes>("OUT_TYPE");
  for (auto dtype : dtypes)
    if (std::ranges::count(allowed, dtype) == 0)
      return invalid_argument(std::string("OUT_TYPE cannot contain ") + to_string(dtype));
  if (s.attr<std::string>("field_delim").size() != 1)
    return invalid_argument("field_delim must be one character");
  for (int i = 1; i < s.input_count(); ++i) {
    const auto& fallback = s.input(i);
    if (fallback.rank() > 1 || (fallback.rank() == 1 && fallback[0] > 1))
      return invalid_argument(
          "a record default must be a scalar or a vector of at most one element, but that of "
          "field " +
          std::to_string(i - 1) + " has shape " + fallback.to_string());
    s.set(i - 1, s.input(0));
  }
  return check_columns(s.attr<std::vector<int64_t>>("select_cols"), dtypes.size());
}

}  // namespace

void add_parsing_ops(OpCatalog& catalog) {
  catalog.add(Op("DecodeRaw")
      .doc("The bytes of each string, all of one length, as elements of a dtype along a new last "
           "axis.")
      .input("bytes", DType::string)
      .output("output", "out_type")
      .attr("out_type", all_plain())
      .attr("little_endian", true)
      .infer_shape(infer_decode_raw)
      .gradient(not_differentiable));
  catalog.add(Op("DecodeCSV")
      .doc("The fields of records in CSV, a tensor of the shape of the records for each column. "
           "Where a field is empty or na_value, the default of its column stands for it; an empty "
           "default means that none may be missing. select_cols, if not empty, are the columns "
           "to read, counted from 0.")
      .input("records", DType::string)
      .inputs("record_defaults", "OUT_TYPE")
      .outputs("output", "OUT_TYPE")
      .attr("OUT_TYPE", AttrType::dtypes)
      .attr_at_least("OUT_TYPE", 1)
      .attr("field_delim", ",")
      .attr("use_quote_delim", true)
      .attr("na_value", "")
      .attr("select_cols", std::vector<int64_t>())
      .infer_shape(infer_decode_csv)
      .gradient(not_differentiable));
}

}  // namespace troupe
