#include "troupe/tests/cuda/emulated/convolutions.hpp"

#include <algorithm>

#include "troupe/devices/cuda/math/numbers.hpp"

namespace troupe::emulated {
namespace {

using cuda::Brain;
using cuda::Half;

/// Calls f(address) with the address as that of elements of the type.
template <class F>
void with_type(void* memory, cudnnDataType_t type, const F& f) {
  switch (type) {
    case CUDNN_DATA_DOUBLE: return f(static_cast<double*>(memory));
    case CUDNN_DATA_HALF: return f(static_cast<Half*>(memory));
    case CUDNN_DATA_BFLOAT16: return f(static_cast<Brain*>(memory));
    default: return f(static_cast<float*>(memory));
  }
}

std::vector<double> read(void* memory, const DnnTensor& tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.elements()));
  with_type(memory, tensor.type, [&](const auto* from) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<double>(cuda::widen(from[i]));
  });
  return values;
}

void write(void* memory, const DnnTensor& tensor, const std::vector<double>& values) {
  with_type(memory, tensor.type, [&]<class T>(T* to) {
    for (size_t i = 0; i < values.size(); ++i) to[i] = cuda::Narrow<T>::of(values[i]);
  });
}

/// Whether the elements fill the memory, each in a place of its own.
bool is_dense(const DnnTensor& tensor) {
  std::vector<std::array<int64_t, 2>> axes;
  for (size_t i = 0; i < 5; ++i)
    if (tensor.sizes[i] != 1) axes.push_back({tensor.strides[i], tensor.sizes[i]});
  std::ranges::sort(axes);
  int64_t expected = 1;
  for (auto [stride, size] : axes) {
    if (stride != expected) return false;
    expected *= size;
  }
  return expected > 0;
}

}  // namespace

bool DnnConvolution::is_valid() const {
  auto inputs = w.sizes[1], groups = inputs > 0 ? x.sizes[1] / inputs : 0;
  if (groups < 1 || groups * inputs != x.sizes[1] || w.sizes[0] % groups != 0) return false;
  if (x.sizes[0] != y.sizes[0] || w.sizes[0] != y.sizes[1]) return false;
  if (x.type != y.type || x.type != w.type) return false;
  for (size_t i = 0; i < 3; ++i) {
    auto padded = before[i] + x.sizes[i + 2] + after[i];
    auto window = (w.sizes[i + 2] - 1) * dilations[i] + 1;
    if (padded < window || (padded - window) / strides[i] + 1 != y.sizes[i + 2]) return false;
  }
  return is_dense(x) && is_dense(w) && is_dense(y);
}

template <class F>
void DnnConvolution::each_product(const F& f) const {
  auto inputs = w.sizes[1], outputs_each = w.sizes[0] / (x.sizes[1] / inputs);
  using Place = std::array<int64_t, 3>;
  auto each_place = [](const int64_t* sizes, const auto& call) {
    Place at;
    for (at[0] = 0; at[0] < sizes[0]; ++at[0])
      for (at[1] = 0; at[1] < sizes[1]; ++at[1])
        for (at[2] = 0; at[2] < sizes[2]; ++at[2]) call(at);
  };
  auto offset = [](const DnnTensor& tensor, const Place& at) {
    return at[0] * tensor.strides[2] + at[1] * tensor.strides[3] + at[2] * tensor.strides[4];
  };
  each_place(&w.sizes[2], [&](const Place& tap) {
    each_place(&y.sizes[2], [&](const Place& output) {
      Place input;
      for (size_t i = 0; i < 3; ++i) {
        input[i] = output[i] * strides[i] + tap[i] * dilations[i] - before[i];
        if (input[i] < 0 || input[i] >= x.sizes[i + 2]) return;
      }
      auto in = offset(x, input), by = offset(w, tap), out = offset(y, output);
      for (int64_t image = 0; image < x.sizes[0]; ++image)
        for (int64_t k = 0; k < w.sizes[0]; ++k)
          for (int64_t c = 0; c < inputs; ++c) {
            auto channel = k / outputs_each * inputs + c;
            f(size_t(in + image * x.strides[0] + channel * x.strides[1]),
              size_t(by + k * w.strides[0] + c * w.strides[1]),
              size_t(out + image * y.strides[0] + k * y.strides[1]));
          }
    });
  });
}

void DnnConvolution::run(const std::array<void*, 3>& memory) const {
  auto of_x = read(memory[0], x), of_w = read(memory[1], w), of_y = read(memory[2], y);
  auto& written = result == Result::x ? of_x : result == Result::w ? of_w : of_y;
  std::ranges::fill(written, 0);
  each_product([&](size_t at_x, size_t at_w, size_t at_y) {
    switch (result) {
      case Result::x: of_x[at_x] += of_w[at_w] * of_y[at_y]; break;
      case Result::w: of_w[at_w] += of_x[at_x] * of_y[at_y]; break;
      case Result::y: of_y[at_y] += of_x[at_x] * of_w[at_w];
    }
  });
  switch (result) {
    case Result::x: write(memory[0], x, of_x); break;
    case Result::w: write(memory[1], w, of_w); break;
    case Result::y: write(memory[2], y, of_y);
  }
}

}  // namespace troupe::emulated
