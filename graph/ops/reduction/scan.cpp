#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

Status infer_scan(ShapeInference& s) {
  if (auto status = s.need_rank(1, 0); !status.ok()) return status;
  s.set(0, s.input(0));
  auto given = s.constant_ints(1);
  if (!given || !s.input(0).has_rank()) return {};
  return find_axis(given->front(), s.input(0).rank()).status();
}

/// Sums along the same axis from the other end.
Value sum_backwards(const Gradient& g, const Value& x) {
  auto attr = [&](const char* name) { return g.node().attr<bool>(name); };
  return g.op(
      "Cumsum", {x, g.in(1)},
      {{"exclusive", attr("exclusive")}, {"reverse", !attr("reverse")}});
}

/// Of exponentials of a positive and of a negative part, so that both have logarithms.
void log_sum_exp_gradient(Gradient& g) {
  auto attr = [&](const char* name) { return g.node().attr<bool>(name); };
  auto dy = g.dy(), zero = g.zeros_like(dy);
  auto lowest = g.op("Log", {zero});
  auto part = [&](const Value& gradient) {
    auto is_positive = g.op("Greater", {gradient, zero});
    auto logarithm = g.op("SelectV2", {is_positive, g.log(gradient), lowest});
    auto sums = g.op(
        "CumulativeLogsumexp", {logarithm - g.out(0), g.in(1)},
        {{"exclusive", attr("exclusive")}, {"reverse", !attr("reverse")}});
    return g.exp(sums + g.in(0));
  };
  g.to_input(0, part(dy) - part(-dy));
}

Op scan(
    const char* name, const char* doc, Op::MakeGradient gradient,
    const DTypes& dtypes = numeric()) {
  return Op(name)
      .doc(doc)
      .input("x", "T")
      .input("axis", "Tidx")
      .output("out", "T")
      .attr("exclusive", false)
      .attr("reverse", false)
      .attr("T", dtypes)
      .attr("Tidx", indexing(), DType::int32)
      .infer_shape(infer_scan)
      .gradient(std::move(gradient));
}

}  // namespace

void add_scan_ops(OpCatalog& catalog) {
  catalog.add(scan(
      "Cumsum",
      "The sums of all elements up to each one along an axis: without the element itself if "
      "'exclusive', from the end if 'reverse'.",
      [](Gradient& g) { g.to_input(0, sum_backwards(g, g.dy())); }));
  // As in TensorFlow, not defined where an element is 0.
  catalog.add(scan(
      "Cumprod",
      "The products of all elements up to each one along an axis: without the element itself if "
      "'exclusive', from the end if 'reverse'.",
      [](Gradient& g) { g.to_input(0, sum_backwards(g, g.out(0) * g.dy()) / g.in(0)); }));
  catalog.add(scan(
      "CumulativeLogsumexp",
      "The logarithms of the sums of exponentials of all elements up to each one along an axis: "
      "without the element itself if 'exclusive' (the least number where there is none), from the "
      "end if 'reverse'.",
      log_sum_exp_gradient, {DType::float16, DType::float32, DType::float64}));
}

}  // namespace troupe
