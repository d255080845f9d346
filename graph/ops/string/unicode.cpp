#include <algorithm>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

Status check_output_encoding(const ShapeInference& s) {
  const auto& given = s.attr<std::string>("output_encoding");
  for (const auto* known : {"UTF-8", "UTF-16-BE", "UTF-32-BE"})
    if (given == known) return {};
  return invalid_argument(
      "'output_encoding' must be 'UTF-8', 'UTF-16-BE' or 'UTF-32-BE', but is '" + given + "'");
}

Status infer_decode(ShapeInference& s) {
  const auto& input = s.input(0);
  auto is_counted = input.is_known() && input.elements() < Shape::max_elements;
  s.set(0, {is_counted ? input.elements() + 1 : Shape::unknown});
  s.set(1, {Shape::unknown});
  return {};
}

Status infer_decode_with_offsets(ShapeInference& s) {
  s.set(2, {Shape::unknown});
  return infer_decode(s);
}

Status infer_encode(ShapeInference& s) {
  for (int i : {0, 1})
    if (auto status = s.need_rank(i, 1); !status.ok()) return status;
  if (auto status = check_output_encoding(s); !status.ok()) return status;
  const auto& splits = s.input(1);
  if (splits.has_rank() && splits[0] == 0)
    return invalid_argument("'input_splits' must have at least one element");
  s.set(0, {splits.has_rank() && splits[0] > 0 ? splits[0] - 1 : Shape::unknown});
  return {};
}

Status infer_transcode(ShapeInference& s) {
  if (auto status = check_output_encoding(s); !status.ok()) return status;
  s.set(0, s.input(0));
  return {};
}

/// What is done with parts of strings that are no text in their encoding.
Op with_errors(Op op) {
  return std::move(op)
      .attr("errors", "replace", std::vector<std::string>{"strict", "replace", "ignore"})
      .attr("replacement_char", int64_t{0xfffd});
}

constexpr const char* errors_doc =
    "What is no text in the encoding is `replacement_char` instead; with `errors` 'ignore' it is "
    "left out, and with 'strict' it is an error.";

Op decoding(const char* name, const std::string& doc) {
  return Op(name)
      .doc(doc + " " + errors_doc +
           " So are control characters below 32, with `replace_control_characters`; 'strict' "
           "replaces them.")
      .input("input", DType::string)
      .output("row_splits", "Tsplits")
      .output("char_values", DType::int32)
      .attr("input_encoding", AttrType::string);
}

Op with_controls(Op op) {
  return with_errors(std::move(op)).attr("replace_control_characters", false);
}

}  // namespace

void add_unicode_ops(OpCatalog& catalog) {
  catalog.add(with_controls(
                  decoding("UnicodeDecode", "The characters of each string, as numbers in rows."))
      .attr("Tsplits", indexing(), DType::int64)
      .infer_shape(infer_decode)
      .gradient(not_differentiable));
  catalog.add(with_controls(
                  decoding(
                      "UnicodeDecodeWithOffsets",
                      "The characters of each string, as numbers in rows, and at which byte of "
                      "its string each begins.")
                      .output("char_to_byte_starts", DType::int64))
      .attr("Tsplits", indexing(), DType::int64)
      .infer_shape(infer_decode_with_offsets)
      .gradient(not_differentiable));
  catalog.add(with_errors(
                  Op("UnicodeEncode")
                      .doc("A string of each row of characters. What is no character is "
                           "`replacement_char` instead; with `errors` 'ignore' it is left out, "
                           "and with 'strict' it is an error.")
                      .input("input_values", DType::int32)
                      .input("input_splits", "Tsplits")
                      .output("output", DType::string)
                      .attr("output_encoding", AttrType::string))
      .attr("Tsplits", indexing(), DType::int64)
      .infer_shape(infer_encode)
      .gradient(not_differentiable));
  catalog.add(with_controls(
                  Op("UnicodeTranscode")
                      .doc(std::string("Strings in another encoding. ") + errors_doc +
                           " So are control characters below 32, with "
                           "`replace_control_characters`.")
                      .input("input", DType::string)
                      .output("output", DType::string)
                      .attr("input_encoding", AttrType::string)
                      .attr("output_encoding", AttrType::string))
      .infer_shape(infer_transcode)
      .gradient(not_differentiable));
  catalog.add(Op("UnicodeScript")
      .doc("The script of each character by its number in ICU: 25 for Latin, 8 for Greek and so "
           "on; -1 for what is no character.")
      .input("input", DType::int32)
      .output("output", DType::int32)
      .infer_shape(shapes::same_as_input())
      .gradient(not_differentiable));
}

}  // namespace troupe
