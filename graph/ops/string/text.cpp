#include <algorithm>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The form of a function of one string, element-wise.
Op of_strings(const char* name, const char* doc, DType result, const char* input = "input") {
  return Op(name)
      .doc(doc)
      .input(input, DType::string)
      .output("output", result)
      .infer_shape(shapes::same_as_input())
      .gradient(not_differentiable);
}

Status need_scalars(const ShapeInference& s, std::initializer_list<int> inputs) {
  for (auto input : inputs)
    if (auto status = s.need_rank(input, 0); !status.ok()) return status;
  return {};
}

Status infer_join(ShapeInference& s) {
  Shape shape;
  bool may_be_wider = false;
  for (const auto& input : s.inputs()) {
    if (input.is_scalar()) continue;
    if (!input.has_rank()) {
      may_be_wider = true;
    } else if (shape.is_scalar()) {
      shape = input;
    } else {
      auto merged = shape.merge(input);
      if (!merged) return merged.status();
      shape = *merged;
    }
  }
  s.set(0, shape.is_scalar() && may_be_wider ? Shape::unknown_rank() : shape);
  return {};
}

Status infer_reduce_join(ShapeInference& s) {
  const auto &x = s.input(0), &indices = s.input(1);
  if (indices.rank() > 1)
    return invalid_argument(
        "the axes must be a vector or scalar, not of shape " + indices.to_string());
  if (!x.has_rank()) return {};
  auto keep_dims = s.attr<bool>("keep_dims");
  auto given = s.constant_ints(1);
  if (!given) {
    if (keep_dims) s.set(0, Shape::of_rank(x.rank()));
    return {};
  }
  std::vector<bool> is_joined(static_cast<size_t>(x.rank()));
  for (auto number : *given) {
    auto axis = find_axis(number, x.rank());
    if (!axis) return axis.status();
    if (is_joined[static_cast<size_t>(*axis)])
      return invalid_argument("axis " + std::to_string(number) + " is given twice");
    is_joined[static_cast<size_t>(*axis)] = true;
  }
  std::vector<int64_t> sizes;
  for (int axis = 0; axis < x.rank(); ++axis) {
    auto joined = is_joined[static_cast<size_t>(axis)];
    if (!joined || keep_dims) sizes.push_back(joined ? 1 : x[axis]);
  }
  s.set(0, Shape(std::span<const int64_t>(sizes)));
  return {};
}

void add_join_ops(OpCatalog& catalog) {
  catalog.add(Op("StringJoin")
      .doc("The strings of all inputs at one place, one behind the other with `separator` between "
           "them. Inputs are scalars or have one shape.")
      .inputs("inputs", DType::string, "N")
      .output("output", DType::string)
      .attr("N", AttrType::integer)
      .attr_at_least("N", 0)
      .attr("separator", "")
      .infer_shape(infer_join)
      .gradient(not_differentiable));
  catalog.add(Op("ReduceJoin")
      .doc("The strings along the given axes, one behind the other with `separator` between them; "
           "the first axis given varies fastest. Without axes the input itself.")
      .input("inputs", DType::string)
      .input("reduction_indices", DType::int32)
      .output("output", DType::string)
      .attr("keep_dims", false)
      .attr("separator", "")
      .infer_shape(infer_reduce_join)
      .gradient(not_differentiable));
}

/// The outputs of StringSplit and StringSplitV2.
Status infer_split(ShapeInference& s) {
  if (auto status = s.need_rank(0, 1); !status.ok()) return status;
  s.set(0, {Shape::unknown, 2});
  s.set(1, {Shape::unknown});
  s.set(2, {2});
  return need_scalars(s, {1});
}

void add_piece_ops(OpCatalog& catalog) {
  auto split = [](const char* name, const char* doc, const char* separator) {
    return Op(name)
        .doc(doc)
        .input("input", DType::string)
        .input(separator, DType::string)
        .output("indices", DType::int64)
        .output("values", DType::string)
        .output("shape", DType::int64)
        .infer_shape(infer_split)
        .gradient(not_differentiable);
  };
  catalog.add(split(
      "StringSplit",
      "The pieces of each string of a vector between bytes that are in `delimiter` (bytes, where "
      "that is empty), as a sparse matrix with a row for each string.", "delimiter")
      .attr("skip_empty", true));
  catalog.add(split(
      "StringSplitV2",
      "The pieces of each string of a vector between occurrences of `sep`, or where that is empty "
      "between white space, as a sparse matrix with a row for each string. Strings are split at "
      "most `maxsplit` times, where that is not negative.", "sep")
      .attr("maxsplit", -1));
  catalog.add(Op("Substr")
      .doc("The part of each string from `pos` on (from its end, where that is negative) of length "
           "`len` or as much as there is, in bytes or characters of UTF-8. pos and len have one "
           "shape, which is broadcast with that of the input.")
      .input("input", DType::string)
      .input("pos", "T")
      .input("len", "T")
      .output("output", DType::string)
      .attr("T", indexing())
      .attr("unit", "BYTE", {"BYTE", "UTF8_CHAR"})
      .infer_shape([](ShapeInference& s) {
        auto positions = s.input(1).merge(s.input(2));
        if (!positions) return positions.status();
        auto shape = broadcast(s.input(0), *positions);
        if (!shape) return shape.status();
        s.set(0, *shape);
        return Status();
      })
      .gradient(not_differentiable));
  catalog.add(of_strings(
      "StringLength", "The length of each string, in bytes or characters of UTF-8.", DType::int32)
      .attr("unit", "BYTE", {"BYTE", "UTF8_CHAR"}));
  catalog.add(of_strings(
      "StringStrip", "Each string without the white space around it.", DType::string));
}

void add_case_ops(OpCatalog& catalog) {
  auto change = [](const char* name, const char* doc) {
    return of_strings(name, doc, DType::string).attr("encoding", "", {"", "utf-8"});
  };
  catalog.add(change(
      "StringLower", "Each string in lower case: its ASCII letters, or with the encoding 'utf-8' "
                     "each character, where bytes that are no UTF-8 become U+FFFD."));
  catalog.add(change(
      "StringUpper", "Each string in upper case: its ASCII letters, or with the encoding 'utf-8' "
                     "each character, where bytes that are no UTF-8 become U+FFFD."));
}

/// Checks the attributes of AsString, which make a format for printf().
Status infer_as_string(ShapeInference& s) {
  constexpr int64_t most = 4096;  // a few more bytes than any number has
  auto dtype = s.attr<DType>("T");
  const auto& fill = s.attr<std::string>("fill");
  auto width = s.attr<int64_t>("width"), precision = s.attr<int64_t>("precision");
  auto shortest = s.attr<bool>("shortest"), scientific = s.attr<bool>("scientific");
  auto is_float = std::ranges::count(differentiable(), dtype) > 0;
  if (shortest && scientific) return invalid_argument("shortest excludes scientific");
  if (!is_float && (shortest || scientific || precision >= 0))
    return invalid_argument(
        std::string("shortest, scientific and precision have no meaning for ") + to_string(dtype));
  if (fill.size() > 1 || std::string(" +-0#").find(fill) == std::string::npos)
    return invalid_argument("fill must be empty or one of ' ', '+', '-', '0' and '#'");
  if (width > most || precision > most)
    return invalid_argument(
        "width " + std::to_string(width) + " and precision " + std::to_string(precision) +
        " must be at most " + std::to_string(most));
  s.set(0, s.input(0));
  return {};
}

void add_number_ops(OpCatalog& catalog) {
  catalog.add(Op("StringToNumber")
      .doc("The number that each string is in decimal, perhaps with white space around it.")
      .input("string_tensor", DType::string)
      .output("output", "out_type")
      .attr("out_type", {DType::float32, DType::float64, DType::int32, DType::int64},
            DType::float32)
      .infer_shape(shapes::same_as_input())
      .gradient(not_differentiable));
  catalog.add(Op("AsString")
      .doc("Each element as text, as printf() writes it: with the flag `fill`, at least `width` "
           "characters and `precision` digits (negative: as many as usual), where floats are "
           "written as by %f, or %e if `scientific`, or %g if `shortest`.")
      .input("input", "T")
      .output("output", DType::string)
      .attr("T", all_plain())
      .attr("precision", -1)
      .attr("scientific", false)
      .attr("shortest", false)
      .attr("width", -1)
      .attr("fill", "")
      .infer_shape(infer_as_string)
      .gradient(not_differentiable));
}

void add_hash_ops(OpCatalog& catalog) {
  auto hash = [](const char* name, const char* doc, const char* input) {
    return of_strings(name, doc, DType::int64, input)
        .attr("num_buckets", AttrType::integer)
        .attr_at_least("num_buckets", 1);
  };
  catalog.add(hash(
      "StringToHashBucket", "A number below num_buckets for each string, by a hash of it. Use "
                            "StringToHashBucketFast instead.", "string_tensor"));
  catalog.add(hash(
      "StringToHashBucketFast",
      "A number below num_buckets for each string, by a fast hash of it (FarmHash).", "input"));
  catalog.add(hash(
      "StringToHashBucketStrong",
      "A number below num_buckets for each string, by a hash with a key of two numbers (SipHash), "
      "for strings of those who may want to have many in one bucket.", "input")
      .attr("key", AttrType::integers)
      .infer_shape([](ShapeInference& s) {
        auto count = s.attr<std::vector<int64_t>>("key").size();
        if (count != 2)
          return invalid_argument("key must be two numbers, not " + std::to_string(count));
        s.set(0, s.input(0));
        return Status();
      }));
}

void add_pattern_ops(OpCatalog& catalog) {
  catalog.add(Op("RegexReplace")
      .doc("Each string with all matches of a regular expression (of RE2), or only the first, "
           "replaced by `rewrite`, in which \\1 to \\9 stand for parts of the match and \\0 for "
           "all of it.")
      .input("input", DType::string)
      .input("pattern", DType::string)
      .input("rewrite", DType::string)
      .output("output", DType::string)
      .attr("replace_global", true)
      .infer_shape([](ShapeInference& s) {
        s.set(0, s.input(0));
        return need_scalars(s, {1, 2});
      })
      .gradient(not_differentiable));
  catalog.add(Op("RegexFullMatch")
      .doc("True where a regular expression (of RE2) matches all of the string.")
      .input("input", DType::string)
      .input("pattern", DType::string)
      .output("output", DType::boolean)
      .infer_shape([](ShapeInference& s) {
        s.set(0, s.input(0));
        return need_scalars(s, {1});
      })
      .gradient(not_differentiable));
  catalog.add(of_strings(
      "StaticRegexReplace", "RegexReplace with a pattern and rewrite that never change.",
      DType::string)
      .attr("pattern", AttrType::string)
      .attr("rewrite", AttrType::string)
      .attr("replace_global", true));
  catalog.add(of_strings(
      "StaticRegexFullMatch", "RegexFullMatch with a pattern that never changes.", DType::boolean)
      .attr("pattern", AttrType::string));
}

void add_base64_ops(OpCatalog& catalog) {
  catalog.add(of_strings(
      "EncodeBase64", "The bytes of each string in base64 for URLs, filled up with '=' if `pad`.",
      DType::string)
      .attr("pad", false));
  catalog.add(of_strings(
      "DecodeBase64", "The bytes of each string, which is in base64 for URLs.", DType::string));
}

}  // namespace

void add_text_ops(OpCatalog& catalog) {
  add_join_ops(catalog);
  add_piece_ops(catalog);
  add_case_ops(catalog);
  add_number_ops(catalog);
  add_hash_ops(catalog);
  add_pattern_ops(catalog);
  add_base64_ops(catalog);
}

}  // namespace troupe
