#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/linalg/matrices.hpp"

namespace troupe {
namespace {

/// "FFT", "FFT2D", "FFT3D", each with a prefix.
std::string fourier_name(const char* prefix, int axes) {
  return prefix + std::string("FFT") + (axes == 1 ? "" : std::to_string(axes) + "D");
}

Status infer_complex_fourier(ShapeInference& s, int axes) {
  auto batches = linalg::batches_of(s, 0, axes);
  s.set(0, s.input(0));
  return batches.status();
}

Status infer_real_fourier(ShapeInference& s, int axes, bool is_inverse) {
  auto batches = linalg::batches_of(s, 0, axes);
  if (!batches) return batches.status();
  if (!s.input(1).is_compatible_with({axes}))
    return invalid_argument(
        "'fft_length' must have the shape [" + std::to_string(axes) + "], but has " +
        s.input(1).to_string());
  if (!batches->has_rank()) return {};
  auto shape = s.input(0);
  auto lengths = s.constant_ints(1);
  for (int i = 0; i < axes; ++i) {
    auto length = lengths ? (*lengths)[static_cast<size_t>(i)] : Shape::unknown;
    if (lengths && length < 0)
      return invalid_argument(
          "'fft_length' must not be negative, but is " + s.constant(1)->to_string());
    if (!is_inverse && i + 1 == axes && length > 0) length = length / 2 + 1;
    shape.set(shape.rank() - axes + i, length);
  }
  auto made = Shape::make(shape.sizes());
  if (made) s.set(0, *made);
  return made.status();
}

/// How many elements a transform is over, in the dtype of `x`.
Value transform_size(const Gradient& g, const Value& x, int axes) {
  auto begin = g.op("Pack", {g.op("Rank", {x}) - g.constant<int32_t>(axes)});
  auto sizes = g.op("Slice", {g.shape_of(x), begin, g.ints({-1})});
  return g.cast(g.op("Prod", {sizes, g.ints({0})}), x.dtype());
}

Op complex_fourier(int axes, bool is_inverse) {
  auto count = axes == 1 ? "axis" : std::to_string(axes) + " axes";
  return Op(fourier_name(is_inverse ? "I" : "", axes))
      .doc(
          std::string("The ") + (is_inverse ? "inverse " : "") +
          "discrete Fourier transform along the last " + count +
          (is_inverse ? ", divided by the number of its elements." : "."))
      .input("input", "Tcomplex")
      .output("output", "Tcomplex")
      .attr("Tcomplex", complex(), DType::complex64)
      .infer_shape([axes](ShapeInference& s) { return infer_complex_fourier(s, axes); })
      .gradient([axes, is_inverse](Gradient& g) {
        auto back = g.op(fourier_name(is_inverse ? "" : "I", axes), {g.dy()});
        auto size = transform_size(g, g.dy(), axes);
        g.to_input(0, is_inverse ? back / size : back * size);
      });
}

/// x with zeros after it along each axis, up to that shape.
Value pad_transform_to(const Gradient& g, const Value& x, const Value& shape) {
  auto after = shape - g.shape_of(x);
  return g.op("Pad", {x, g.op("Pack", {g.zeros_like(after), after}, {{"axis", 1}})});
}

/// The gradient is the whole inverse transform of dy, with zeros for the half that the op leaves
/// out; not divided, so times the number of elements.
void spectrum_gradient(Gradient& g, int axes) {
  auto dy = g.dy();
  auto batches = g.op("Rank", {dy}) - g.constant<int32_t>(axes);
  auto sizes = g.op("Slice", {g.shape_of(dy), g.ints({0}), g.op("Pack", {batches})});
  auto whole = g.op("ConcatV2", {sizes, g.in(1), g.constant<int32_t>(0)});
  auto back = g.op(fourier_name("I", axes), {pad_transform_to(g, dy, whole)});
  auto size = g.cast(g.op("Prod", {g.in(1), g.ints({0})}), DType::float32);
  g.to_input(0, pad_transform_to(g, g.cast(back, DType::float32) * size, g.shape_of(g.in(0))));
}

/// The transform of dy. All but the first and, of an even length, the last column of the spectrum
/// stand for two, as the other half is their conjugate.
void reals_gradient(Gradient& g, int axes) {
  auto length = g.reshape(g.op("Slice", {g.in(1), g.ints({axes - 1}), g.ints({1})}), g.ints({}));
  auto one = g.constant<int32_t>(1), two = g.constant<int32_t>(2);
  auto half = g.op("Div", {length, two}) + one;
  auto column = g.op("Range", {g.constant<int32_t>(0), half, one});
  auto is_single = [&](const Value& a, const Value& b) {
    return g.cast(g.equal(a, b), DType::float32);
  };
  auto counts = 2.0 - is_single(column, g.zeros_like(column)) - is_single(column * two, length);
  auto size = g.cast(g.op("Prod", {g.in(1), g.ints({0})}), DType::float32);
  auto spectrum = g.op(fourier_name("R", axes), {g.dy(), g.in(1)});
  auto scaled = spectrum * g.cast(counts / size, DType::complex64);
  g.to_input(0, pad_transform_to(g, scaled, g.shape_of(g.in(0))));
}

Op real_fourier(int axes, bool is_inverse) {
  const char* doc =
      is_inverse
          ? "The inverse of RFFT: real numbers, `fft_length` of them along each of the last axes, "
            "from the first fft_length / 2 + 1 columns of a spectrum; what is beyond is left out."
          : "The discrete Fourier transform of the first `fft_length` real numbers along each of "
            "the last axes: of the last one, the first fft_length / 2 + 1 elements.";
  return Op(fourier_name(is_inverse ? "IR" : "R", axes))
      .doc(doc)
      .input("input", is_inverse ? DType::complex64 : DType::float32)
      .input("fft_length", DType::int32)
      .output("output", is_inverse ? DType::float32 : DType::complex64)
      .infer_shape([=](ShapeInference& s) { return infer_real_fourier(s, axes, is_inverse); })
      .gradient([=](Gradient& g) {
        if (!g.wants(0)) return;
        if (is_inverse) reals_gradient(g, axes);
        else spectrum_gradient(g, axes);
      });
}

}  // namespace

void add_fourier_ops(OpCatalog& catalog) {
  for (int axes : {1, 2, 3})
    for (bool is_inverse : {false, true}) {
      catalog.add(complex_fourier(axes, is_inverse));
      catalog.add(real_fourier(axes, is_inverse));
    }
}

}  // namespace troupe
