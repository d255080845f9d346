#include <string>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/math/op_forms.hpp"

namespace troupe {

using namespace ops;

namespace {

const DTypes& parts() {
  static const DTypes group = {DType::float32, DType::float64};
  return group;
}

/// Fails unless parts of the one dtype make up complex numbers of the other.
Status check_parts(DType complex, DType part) {
  if ((complex == DType::complex128) == (part == DType::float64)) return {};
  return invalid_argument(
      std::string(to_string(complex)) + " does not have parts of " + to_string(part) +
      ": the attributes T and Tout contradict each other");
}

/// A real number from each complex one.
Op part_of_complex(
    const char* name, const char* doc, const char* input, const char* output,
    Op::MakeGradient gradient) {
  return Op(name)
      .doc(doc)
      .input(input, "T")
      .output(output, "Tout")
      .attr("T", complex(), DType::complex64)
      .attr("Tout", parts(), DType::float32)
      .infer_shape([](ShapeInference& s) {
        s.set(0, s.input(0));
        return check_parts(s.attr<DType>("T"), s.attr<DType>("Tout"));
      })
      .gradient(std::move(gradient));
}

/// The complex numbers with those parts, of the dtype of input 0.
Value complex_of(const Gradient& g, const Value& real, const Value& imaginary) {
  return g.op("Complex", {real, imaginary}, {{"Tout", g.in(0).dtype()}});
}

void angle_gradient(Gradient& g) {
  auto dtype = g.dy().dtype();
  auto re = g.op("Real", {g.in(0)}, {{"Tout", dtype}});
  auto im = g.op("Imag", {g.in(0)}, {{"Tout", dtype}});
  auto direction = g.op("Reciprocal", {complex_of(g, im, re)});
  g.to_input(0, -(complex_of(g, g.dy(), g.like(g.dy(), 0)) * direction));
}

void complex_gradient(Gradient& g) {
  auto dtype = g.in(0).dtype();
  if (g.wants(0)) g.to_operand(0, g.op("Real", {g.dy()}, {{"Tout", dtype}}));
  if (g.wants(1)) g.to_operand(1, g.op("Imag", {g.dy()}, {{"Tout", dtype}}));
}

}  // namespace

void add_complex_numbers_ops(OpCatalog& catalog) {
  catalog.add(part_of_complex(
      "Real", "The real part, element-wise.", "input", "output", [](Gradient& g) {
        g.to_input(0, complex_of(g, g.dy(), g.like(g.dy(), 0)));
      }));
  catalog.add(part_of_complex(
      "Imag", "The imaginary part, element-wise.", "input", "output", [](Gradient& g) {
        g.to_input(0, complex_of(g, g.like(g.dy(), 0), g.dy()));
      }));
  catalog.add(part_of_complex(
      "Angle", "The angle in radians, between -pi and pi, element-wise.", "input", "output",
      angle_gradient));
  catalog.add(part_of_complex(
      "ComplexAbs", "The magnitude, element-wise.", "x", "y", [](Gradient& g) {
        g.to_input(0, complex_of(g, g.dy(), g.like(g.dy(), 0)) * g.op("Sign", {g.in(0)}));
      }));
  catalog.add(Op("Complex")
      .doc("The complex numbers with those parts, with broadcasting.")
      .input("real", "T")
      .input("imag", "T")
      .output("out", "Tout")
      .attr("T", parts(), DType::float32)
      .attr("Tout", complex(), DType::complex64)
      .infer_shape([](ShapeInference& s) {
        auto status = check_parts(s.attr<DType>("Tout"), s.attr<DType>("T"));
        return status.ok() ? shapes::broadcast()(s) : status;
      })
      .gradient(complex_gradient));
}

}  // namespace troupe
