#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "troupe/devices/cpu/audio/sounds.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

struct CepstrumForm {
  double lowest, highest;  // frequencies in hertz
  int64_t filters, coefficients;

  static CepstrumForm of(const Node& node) {
    return {
        .lowest = static_cast<double>(node.attr<float>("lower_frequency_limit")),
        .highest = static_cast<double>(node.attr<float>("upper_frequency_limit")),
        .filters = node.attr<int64_t>("filterbank_channel_count"),
        .coefficients = node.attr<int64_t>("dct_coefficient_count")};
  }
  /// Whether its cosine transform is one that can be kept.
  bool has_transform() const {
    constexpr int64_t most = 1 << 22;
    return filters >= 1 && coefficients <= filters && filters <= most / coefficients;
  }
};

/// What is wrong with the form, or with what it is applied to; "" where nothing is.
std::string fault_of(const CepstrumForm& form, int64_t frequencies, int32_t rate) {
  if (form.filters < 1) return "there must be at least one filter";
  if (rate <= 0) return "the sample rate must be positive";
  if (frequencies < 2) return "there must be at least two frequencies";
  if (!(form.lowest >= 0)) return "the lower limit of frequencies must not be negative";
  if (!(form.highest > form.lowest)) return "the upper limit must be greater than the lower one";
  if (form.coefficients > form.filters) return "there are more coefficients than filters";
  if (!form.has_transform()) return "there are too many filters and coefficients";
  return "";
}

double to_mel(double frequency) { return 1127.0 * std::log1p(frequency / 700.0); }

/// Filters that are triangles of the mel scale, each from the centre of the one before to that of
/// the next. A frequency between two centres belongs to the falling side of one filter, with a
/// weight, and with the rest of 1 to the rising side of the next.
class MelFilters {
 public:
  MelFilters(const CepstrumForm& form, int64_t frequencies, int32_t rate) : filters_(form.filters) {
    auto step = 0.5 * rate / static_cast<double>(frequencies - 1);  // hertz
    auto first = 1.5 + form.lowest / step;                          // never 0, as in HTK
    auto last = form.highest / step;
    covers_ = last < static_cast<double>(frequencies);
    if (!covers_ || first >= static_cast<double>(frequencies)) return;
    begin_ = static_cast<int64_t>(first);
    auto low = to_mel(form.lowest);
    auto spacing = (to_mel(form.highest) - low) / static_cast<double>(filters_ + 1);
    auto centre = [&](int64_t filter) { return low + spacing * static_cast<double>(filter + 1); };
    int64_t next = 0;  // the first filter whose centre is not below the frequency
    for (auto i = begin_; i <= static_cast<int64_t>(last); ++i) {
      auto mel = to_mel(static_cast<double>(i) * step);
      while (next < filters_ && centre(next) < mel) ++next;
      auto before = next == 0 ? low : centre(next - 1);
      sides_.push_back({next - 1, (centre(next) - mel) / (centre(next) - before)});
    }
  }

  /// Fills what each filter passes of the magnitudes, whose squares are given. False where the
  /// filters need higher frequencies than there are.
  bool run(std::vector<double>& passed, const float* squares) const {
    if (!covers_) return false;
    std::ranges::fill(passed, 0.0);
    for (size_t i = 0; i < sides_.size(); ++i) {
      auto [filter, weight] = sides_[i];
      auto magnitude = std::sqrt(static_cast<double>(squares[begin_ + static_cast<int64_t>(i)]));
      auto falling = magnitude * weight;
      if (filter >= 0) passed[static_cast<size_t>(filter)] += falling;
      if (filter + 1 < filters_) passed[static_cast<size_t>(filter + 1)] += magnitude - falling;
    }
    return true;
  }

 private:
  struct Side {
    int64_t filter;  // -1 before the first
    double weight;
  };

  int64_t filters_;
  int64_t begin_ = 0;
  bool covers_ = false;
  std::vector<Side> sides_;  // of the frequencies from begin_ on
};

/// Row i has the weights of coefficient i.
std::vector<double> cosine_weights(const CepstrumForm& form) {
  constexpr double pi = 3.14159265358979323846;
  std::vector<double> weights;
  weights.reserve(static_cast<size_t>(form.coefficients * form.filters));
  auto size = static_cast<double>(form.filters);
  auto scale = std::sqrt(2.0 / size), angle = pi / size;
  for (int64_t i = 0; i < form.coefficients; ++i)
    for (int64_t j = 0; j < form.filters; ++j)
      weights.push_back(
          scale * std::cos(static_cast<double>(i) * angle * (static_cast<double>(j) + 0.5)));
  return weights;
}

struct Cepstrum {
  MelFilters filters;
  const std::vector<double>& cosines;

  /// Fills the coefficients of one window. `passed` has room for each filter.
  void run(std::vector<double>& passed, float* out, int64_t coefficients, const float* in) const {
    if (!filters.run(passed, in)) {  // TensorFlow then has no logarithms to transform
      std::fill_n(out, coefficients, 0.0f);
      return;
    }
    constexpr double least = 1e-12;
    for (auto& value : passed) value = std::log(value < least ? least : value);
    const auto* weights = cosines.data();
    for (int64_t i = 0; i < coefficients; ++i) {
      double sum = 0;
      for (auto value : passed) sum += *weights++ * value;
      out[i] = static_cast<float>(sum);
    }
  }
};

Status compute_cepstrum(
    Launch& launch, const CepstrumForm& form, const std::vector<double>& cosines) {
  const auto &spectrogram = launch.input(0), &rate = launch.input(1);
  const auto& shape = spectrogram.shape();
  if (shape.rank() != 3)
    return invalid_argument("spectrogram must be 3-dimensional, but is " + shape.to_string());
  if (!rate.shape().is_scalar())
    return invalid_argument(
        "Input sample_rate should be a scalar tensor, got " + rate.shape().to_string() +
        " instead.");
  auto frequencies = shape[2];
  if (auto fault = fault_of(form, frequencies, rate.value<int32_t>()); !fault.empty())
    return invalid_argument(
        "Mfcc initialization failed for channel count " + std::to_string(frequencies) +
        " and sample rate " + std::to_string(rate.value<int32_t>()) + ": " + fault);
  auto out = launch.allocate(DType::float32, {shape[0], shape[1], form.coefficients});
  if (!out) return out.status();
  Cepstrum cepstrum{MelFilters(form, frequencies, rate.value<int32_t>()), cosines};
  const auto* from = spectrogram.data<float>();
  auto* to = out->mutable_data<float>();
  auto work = 8 * frequencies + form.filters * (form.coefficients + 16);
  parallel_ranges(shape[0] * shape[1], work, [&](int64_t begin, int64_t end) {
    std::vector<double> passed(static_cast<size_t>(form.filters));
    for (auto window = begin; window < end; ++window)
      cepstrum.run(
          passed, to + window * form.coefficients, form.coefficients, from + window * frequencies);
  });
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

void add_cepstrum_kernel(KernelCatalog& catalog) {
  catalog.add("Mfcc", [](const Node& node) -> Result<Kernel> {
    auto form = CepstrumForm::of(node);
    // A form that is at fault fails when it runs, as in TensorFlow.
    auto cosines = form.has_transform() ? cosine_weights(form) : std::vector<double>();
    return Kernel{
        .compute = [form,
                    cosines](Launch& launch) { return compute_cepstrum(launch, form, cosines); },
        .cost_ns = [](const Launch& launch) { return 10 * launch.input(0).elements(); }};
  });
}

}  // namespace troupe::cpu
