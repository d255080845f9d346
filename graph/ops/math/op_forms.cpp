#include "troupe/graph/ops/math/op_forms.hpp"

#include <algorithm>

namespace troupe::ops {

Op unary(const char* name, const char* doc, const DTypes& dtypes, Op::MakeGradient gradient) {
  return Op(name)
      .doc(doc)
      .input("x", "T")
      .output("y", "T")
      .attr("T", dtypes)
      .infer_shape(shapes::same_as_input())
      .gradient(std::move(gradient));
}

Op binary(const char* name, const char* doc, const DTypes& dtypes, Op::MakeGradient gradient) {
  return Op(name)
      .doc(doc)
      .input("x", "T")
      .input("y", "T")
      .output("z", "T")
      .attr("T", dtypes)
      .infer_shape(shapes::broadcast())
      .gradient(std::move(gradient));
}

Op unary_gradient(const char* name, const char* doc, Op::MakeGradient gradient) {
  return Op(name)
      .doc(doc)
      .input("y", "T")
      .input("dy", "T")
      .output("z", "T")
      .attr("T", differentiable())
      .infer_shape([](ShapeInference& s) {
        auto shape = s.input(0).merge(s.input(1));
        if (shape) s.set(0, *shape);
        return shape.status();
      })
      .gradient(std::move(gradient));
}

Value conj(const Value& value) {
  auto is_complex = std::ranges::count(complex(), value.dtype()) > 0;
  return is_complex ? value.builder().op("Conj", {value}) : value;
}

}  // namespace troupe::ops
