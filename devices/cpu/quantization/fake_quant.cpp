#include "troupe/devices/cpu/quantization/fake_quant.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/devices/cpu/vector/quantization.hpp"

namespace troupe::cpu {

Result<QuantizedForm> quantized_form(const Node& node) {
  auto bits = node.attr<int64_t>("num_bits");
  if (bits < 2 || bits > 16)
    return invalid_argument("num_bits must be between 2 and 16, inclusive");
  return QuantizedForm{
      .least = node.attr<bool>("narrow_range") ? 1.0f : 0.0f,
      .most = static_cast<float>((1 << bits) - 1)};
}

Result<QuantizedRange> fixed_range(const Node& node) {
  auto min = node.attr<float>("min"), max = node.attr<float>("max");
  if (!(min < max))
    return invalid_argument(
        "min has to be smaller than max, was: " + std::to_string(min) +
        " >= " + std::to_string(max));
  auto form = quantized_form(node);
  if (!form) return form.status();
  return QuantizedRange::of(min, max, *form);
}

Status check_limits(const Launch& launch, int first, const Shape& input, bool by_channel) {
  if (by_channel && input.is_scalar())
    return invalid_argument("the inputs must have at least rank 1, but are a scalar");
  auto wanted = by_channel ? Shape{input[input.rank() - 1]} : Shape();
  for (int i : {0, 1}) {
    const auto& shape = launch.input(first + i).shape();
    if (shape != wanted)
      return invalid_argument(
          std::string(i == 0 ? "min" : "max") + " has incorrect size, expected " +
          wanted.to_string() + " was " + shape.to_string());
  }
  return {};
}

Status check_same_size(const Launch& launch) {
  const auto &gradients = launch.input(0).shape(), &inputs = launch.input(1).shape();
  if (gradients == inputs) return {};
  return invalid_argument(
      "gradient and input must be the same size, but are " + gradients.to_string() + " and " +
      inputs.to_string());
}

namespace {

using Ranges = std::vector<QuantizedRange>;

/// Of inputs `min` and `max`, from that input on.
Result<Ranges> ranges_of(
    const Launch& launch, int first, const Shape& input, const QuantizedForm& form,
    bool by_channel) {
  if (auto status = check_limits(launch, first, input, by_channel); !status.ok()) return status;
  auto min = launch.input(first).values<float>(), max = launch.input(first + 1).values<float>();
  Ranges ranges;
  for (size_t i = 0; i < min.size(); ++i)
    ranges.push_back(QuantizedRange::of(min[i], max[i], form));
  return ranges;
}

/// A row of numbers, each in its own range, or all in one.
void quantize_row(float* out, const float* in, int64_t size, const Ranges& ranges) {
  if (ranges.size() == 1) {
    if (ranges[0].is_empty) std::fill_n(out, size, 0.0f);
    else vector::quantize_loop()(out, in, size, ranges[0]);
  } else {
    for (int64_t i = 0; i < size; ++i) out[i] = ranges[static_cast<size_t>(i)].quantize(in[i]);
  }
}

/// A tensor as rows, of which each element has a range, or as one of a single range.
struct Rows {
  int64_t count, size;

  static Rows of(const Shape& shape, const Ranges& ranges) {
    if (ranges.size() == 1) return {shape.elements(), 1};
    auto size = static_cast<int64_t>(ranges.size());
    return {size == 0 ? 0 : shape.elements() / size, size};
  }
};

Status quantize(Launch& launch, const Ranges& ranges) {
  const auto* in = launch.input(0).data<float>();
  const auto shape = launch.input(0).shape();
  auto out = launch.reuse_or_allocate({0}, DType::float32, shape);
  if (!out) return out.status();
  auto* result = out->mutable_data<float>();
  auto rows = Rows::of(shape, ranges);
  parallel_ranges(rows.count, 4 * rows.size, [&](int64_t begin, int64_t end) {
    if (rows.size == 1) return quantize_row(result + begin, in + begin, end - begin, ranges);
    for (auto at = begin * rows.size; at < end * rows.size; at += rows.size)
      quantize_row(result + at, in + at, rows.size, ranges);
  });
  launch.set(0, *std::move(out));
  return {};
}

/// Gradients that go to the limits of a range, since the inputs are outside of it.
struct LimitSums {
  double low = 0, high = 0;
};

/// Gradients that are given on, and the numbers that decide where each goes.
struct Passed {
  float* out;
  const float* gradients;
  const float* in;

  QuantizedGradient pass(int64_t i, const QuantizedRange& range) const {
    auto parts = QuantizedGradient::of(gradients[i], in[i], range);
    out[i] = parts.input;
    return parts;
  }
  Passed from(int64_t at) const { return {out + at, gradients + at, in + at}; }
};

/// Gives on the gradients of one range. In lanes, so that the compiler can use vector instructions.
LimitSums pass_line(const Passed row, int64_t size, const QuantizedRange& given) {
  if (given.is_empty) {
    std::copy_n(row.gradients, size, row.out);
    return {};
  }
  constexpr int64_t lanes = 8, block = 512;
  QuantizedRange range{given.low, given.high, given.scale, given.zero};
  LimitSums sums;
  for (int64_t begin = 0; begin < size; begin += block) {
    auto end = std::min(size, begin + block);
    float below[lanes] = {}, above[lanes] = {};
    auto pass = [&](int64_t i, int64_t lane) {
      auto parts = row.pass(i, range);
      below[lane] += parts.low;
      above[lane] += parts.high;
    };
    auto i = begin;
    for (; i + lanes <= end; i += lanes)
#pragma GCC ivdep
      for (int64_t lane = 0; lane < lanes; ++lane) pass(i + lane, lane);
    for (; i < end; ++i) pass(i, 0);
    for (auto part : below) sums.low += static_cast<double>(part);
    for (auto part : above) sums.high += static_cast<double>(part);
  }
  return sums;
}

/// Rows of elements or, where there is one range, lines of them.
void pass_rows(const Passed& rows, int64_t size, const Ranges& ranges, LimitSums* sums) {
  if (ranges.size() == 1) {
    *sums = pass_line(rows, size, ranges[0]);
    return;
  }
  for (int64_t begin = 0; begin < size; begin += static_cast<int64_t>(ranges.size()))
    for (size_t at = 0; at < ranges.size(); ++at) {
      auto parts = rows.pass(begin + static_cast<int64_t>(at), ranges[at]);
      sums[at].low += static_cast<double>(parts.low);
      sums[at].high += static_cast<double>(parts.high);
    }
}

/// Fills `out` with the gradients of the inputs, and returns the sums of each range. Those of the
/// parts are added in their order, and the shape alone decides what the parts are.
std::vector<LimitSums> pass_gradients(float* out, const Launch& launch, const Ranges& ranges) {
  Passed all{out, launch.input(0).data<float>(), launch.input(1).data<float>()};
  auto rows = Rows::of(launch.input(1).shape(), ranges);
  constexpr int64_t most_parts = 32, least_elements = 16 * 1024;
  auto part_rows = std::max<int64_t>(
      {1, (rows.count + most_parts - 1) / most_parts,
       least_elements / std::max<int64_t>(1, rows.size)});
  auto parts = (rows.count + part_rows - 1) / part_rows;
  std::vector<LimitSums> sums(static_cast<size_t>(std::max<int64_t>(1, parts)) * ranges.size());
  parallel_ranges(parts, 4 * part_rows * rows.size, [&](int64_t begin, int64_t end) {
    for (auto part = begin; part < end; ++part) {
      auto* own = sums.data() + static_cast<size_t>(part) * ranges.size();
      auto first = part * part_rows, last = std::min(rows.count, first + part_rows);
      pass_rows(all.from(first * rows.size), (last - first) * rows.size, ranges, own);
    }
  });
  for (size_t i = ranges.size(); i < sums.size(); ++i) {
    sums[i % ranges.size()].low += sums[i].low;
    sums[i % ranges.size()].high += sums[i].high;
  }
  sums.resize(ranges.size());
  return sums;
}

Status compute_gradients(Launch& launch, const QuantizedForm& form, bool by_channel) {
  if (auto status = check_same_size(launch); !status.ok()) return status;
  const auto shape = launch.input(1).shape();
  auto ranges = ranges_of(launch, 2, shape, form, by_channel);
  if (!ranges) return ranges.status();
  const auto limits = launch.input(2).shape();
  auto low = launch.allocate(DType::float32, limits),
       high = launch.allocate(DType::float32, limits);
  auto out = launch.allocate(DType::float32, shape);
  for (const auto* tensor : {&low, &high, &out})
    if (!*tensor) return tensor->status();
  auto sums = pass_gradients(out->mutable_data<float>(), launch, *ranges);
  for (size_t i = 0; i < sums.size(); ++i) {
    low->mutable_data<float>()[i] = static_cast<float>(sums[i].low);
    high->mutable_data<float>()[i] = static_cast<float>(sums[i].high);
  }
  launch.set(0, *std::move(out));
  launch.set(1, *std::move(low));
  launch.set(2, *std::move(high));
  return {};
}

KernelCatalog::Make make_quantized(bool by_channel) {
  return [=](const Node& node) -> Result<Kernel> {
    auto form = quantized_form(node);
    if (!form) return form.status();
    return Kernel{.compute = [=, form = *form](Launch& launch) -> Status {
      auto ranges = ranges_of(launch, 1, launch.input(0).shape(), form, by_channel);
      return ranges ? quantize(launch, *ranges) : ranges.status();
    }};
  };
}

KernelCatalog::Make make_gradients(bool by_channel) {
  return [=](const Node& node) -> Result<Kernel> {
    auto form = quantized_form(node);
    if (!form) return form.status();
    return Kernel{.compute = [=, form = *form](Launch& launch) {
      return compute_gradients(launch, form, by_channel);
    }};
  };
}

Result<Kernel> make_fixed(const Node& node) {
  auto range = fixed_range(node);
  if (!range) return range.status();
  return Kernel{
      .compute = [ranges = Ranges{*range}](Launch& launch) { return quantize(launch, ranges); }};
}

Status pass_in_range(Launch& launch, const QuantizedRange& range) {
  if (auto status = check_same_size(launch); !status.ok()) return status;
  const auto shape = launch.input(0).shape();
  const auto *gradients = launch.input(0).data<float>(), *in = launch.input(1).data<float>();
  auto out = launch.reuse_or_allocate({0, 1}, DType::float32, shape);
  if (!out) return out.status();
  auto* result = out->mutable_data<float>();
  parallel_ranges(shape.elements(), 2, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i)
      result[i] = QuantizedGradient::of(gradients[i], in[i], range).input;
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_fixed_gradient(const Node& node) {
  auto range = fixed_range(node);
  if (!range) return range.status();
  return Kernel{
      .compute = [range = *range](Launch& launch) { return pass_in_range(launch, range); }};
}

}  // namespace

void add_fake_quant_kernels(KernelCatalog& catalog) {
  catalog.add("FakeQuantWithMinMaxArgs", make_fixed);
  catalog.add("FakeQuantWithMinMaxArgsGradient", make_fixed_gradient);
  for (bool by_channel : {false, true}) {
    auto op = std::string("FakeQuantWithMinMaxVars") + (by_channel ? "PerChannel" : "");
    catalog.add(op, make_quantized(by_channel));
    catalog.add(op + "Gradient", make_gradients(by_channel));
  }
}

}  // namespace troupe::cpu
