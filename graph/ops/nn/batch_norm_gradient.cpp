#include "troupe/graph/ops/nn/batch_norm_gradient.hpp"

#include "troupe/graph/ops/nn/window.hpp"

namespace troupe::ops {
namespace {

/// The inputs of the op in the dtype of its statistics, of which vectors are broadcast to images.
struct Inputs {
  Gradient& g;
  DType images, statistics;
  bool has_channels_first;
  Value dy, x, scale;

  explicit Inputs(Gradient& gradient)
      : g(gradient),
        images(g.in(1).dtype()),
        statistics(g.in(2).dtype()),
        has_channels_first(g.node().attr<std::string>("data_format") == "NCHW"),
        dy(image(g.in(0))),
        x(image(g.in(1))),
        scale(vector(g.in(2))) {}

  Value image(const Value& value) const {
    return images == statistics ? value : g.cast(value, statistics);
  }
  Value vector(const Value& value) const {
    return g.reshape(
        value, has_channels_first ? g.ints({1, -1, 1, 1}) : g.ints({1, 1, 1, -1}));
  }
  std::vector<int32_t> axes() const {
    return has_channels_first ? std::vector<int32_t>{0, 2, 3} : std::vector<int32_t>{0, 1, 2};
  }
  Value mean(const Value& value) const { return g.reduce_mean(value, axes(), /*keep_dims=*/true); }
  Value deviation(const Value& variance) const {
    return g.op("Rsqrt", {variance + double(g.node().attr<float>("epsilon"))});
  }

  /// The gradients with respect to the three outputs; invalid where there is none.
  Value of_dx() const { return g.has_dy(0) ? image(g.dy(0)) : Value(); }
  Value of_dscale() const { return g.has_dy(1) ? vector(g.dy(1)) : Value(); }
  Value of_doffset() const { return g.has_dy(2) ? vector(g.dy(2)) : Value(); }

  void set_image(int input, const Value& value) const {
    // A sum of vectors is broadcast where no gradient is one of images.
    auto whole = g.op("BroadcastTo", {value, g.shape_of(x)});
    g.to_input(input, images == statistics ? whole : g.cast(whole, images));
  }
};

Value sum(const Value& a, const Value& b) {
  if (!a.is_valid()) return b;
  return b.is_valid() ? a + b : a;
}

/// With statistics of the batch. Writing r for 1 / sqrt(variance + epsilon), n for (x - mean) * r
/// and P(v) for v - mean(v) - n * mean(n * v), the op is dx = scale * r * P(dy),
/// dscale = sum(dy * n) and doffset = sum(dy); and the gradient of n with respect to x is r * P.
void differentiate_in_training(const Inputs& in) {
  auto centered = in.x - in.mean(in.x);
  auto r = in.deviation(in.mean(in.g.square(centered)));
  auto n = centered * r;
  auto project = [&](const Value& v) { return v - in.mean(v) - n * in.mean(n * v); };
  auto a = in.of_dx(), b = in.of_dscale();
  Value of_dy = in.of_doffset(), of_n, of_r;
  if (a.is_valid()) {
    auto scaled = in.scale * r, core = project(in.dy);
    of_dy = sum(of_dy, scaled * project(a));
    of_n = -(scaled * (a * in.mean(n * in.dy) + in.dy * in.mean(n * a)));
    // r depends on x by the variance: its gradient is -r^2 * n, divided by the number of pixels.
    of_r = scaled * r * in.mean(a * core) * n;
    in.g.to_input(2, in.g.reduce_sum(a * core * r, in.axes()));
  }
  if (b.is_valid()) {
    of_dy = sum(of_dy, b * n);
    of_n = sum(of_n, b * in.dy);
  }
  if (of_dy.is_valid()) in.set_image(0, of_dy);
  if (!of_n.is_valid()) return;
  auto of_x = r * project(of_n);
  in.set_image(1, of_r.is_valid() ? of_x - of_r : of_x);
}

/// With statistics that are inputs: dx = dy * scale * r, dscale = sum(dy * (x - mean) * r).
void differentiate_in_inference(const Inputs& in) {
  auto r = in.deviation(in.vector(in.g.in(4)));
  auto a = in.of_dx(), b = in.of_dscale();
  Value of_dy = in.of_doffset();
  if (a.is_valid()) {
    of_dy = sum(of_dy, a * in.scale * r);
    in.g.to_input(2, in.g.reduce_sum(a * in.dy * r, in.axes()));
  }
  if (b.is_valid()) {
    of_dy = sum(of_dy, b * (in.x - in.vector(in.g.in(3))) * r);
    in.set_image(1, b * in.dy * r);
  }
  if (of_dy.is_valid()) in.set_image(0, of_dy);
}

}  // namespace

void differentiate_batch_norm_grad(Gradient& g) {
  Inputs in(g);
  if (g.node().attr<bool>("is_training"))
    differentiate_in_training(in);
  else
    differentiate_in_inference(in);
}

}  // namespace troupe::ops
