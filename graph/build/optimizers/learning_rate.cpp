#include "troupe/graph/build/optimizers/learning_rate.hpp"

#include <numbers>

namespace troupe {

namespace {

/// The builder, the first rate and the global step of a schedule, all of one dtype.
struct Schedule {
  Schedule(
      const Builder& builder, const char* name, const Operand& learning_rate, const Value& step)
      : b(builder.scope(name)),
        rate(learning_rate.tensor(b)),
        dtype(rate.is_valid() ? rate.dtype() : DType::float32),
        steps(Operand(step).tensor(b, dtype)) {}

  Value number(const Operand& operand) const { return operand.tensor(b, dtype); }
  /// An option without a default.
  Value needed(const char* name, const Required<Operand>& option) const {
    if (option.value()) return number(*option.value());
    b.fail(invalid_argument("a learning rate that decays needs " + std::string(name)));
    return {};
  }
  Value decay_rate(const DecayOptions& options) const {
    return needed("decay_rate", options.decay_rate);
  }
  /// steps / decay_steps; rounded down with `staircase`.
  Value periods(const DecayOptions& options) const {
    auto periods = b.div(steps, needed("decay_steps", options.decay_steps));
    return options.staircase ? b.op("Floor", {periods}) : periods;
  }
  /// The part of decay_steps that has passed, at most 1.
  Value finished(const Required<Operand>& decay_steps) const {
    auto last = needed("decay_steps", decay_steps);
    return b.div(b.op("Minimum", {steps, last}), last);
  }
  /// From 1 to 0 along half a wave, or along that many waves.
  Value cosine(const Value& part, double periods = 0.5) const {
    auto wave = b.op("Cos", {b.mul(part, number(2.0 * std::numbers::pi * periods))});
    return 0.5 * (1.0 + wave);
  }

  Builder b;
  Value rate;
  DType dtype;
  Value steps;
};

}  // namespace

Value exponential_decay(
    const Builder& builder, const Operand& learning_rate, const Value& global_step,
    const DecayOptions& options) {
  Schedule s(builder, "ExponentialDecay", learning_rate, global_step);
  return s.b.mul(s.rate, s.b.op("Pow", {s.decay_rate(options), s.periods(options)}));
}

Value natural_exp_decay(
    const Builder& builder, const Operand& learning_rate, const Value& global_step,
    const DecayOptions& options) {
  Schedule s(builder, "NaturalExpDecay", learning_rate, global_step);
  auto exponent = s.b.mul(s.b.neg(s.decay_rate(options)), s.periods(options));
  return s.b.mul(s.rate, s.b.exp(exponent));
}

Value inverse_time_decay(
    const Builder& builder, const Operand& learning_rate, const Value& global_step,
    const DecayOptions& options) {
  Schedule s(builder, "InverseTimeDecay", learning_rate, global_step);
  auto decay = s.b.mul(s.decay_rate(options), s.periods(options));
  return s.b.div(s.rate, decay + 1.0);
}

Value polynomial_decay(
    const Builder& builder, const Operand& learning_rate, const Value& global_step,
    const PolynomialDecayOptions& options) {
  Schedule s(builder, "PolynomialDecay", learning_rate, global_step);
  const auto& b = s.b;
  auto last = s.needed("decay_steps", options.decay_steps), steps = s.steps;
  if (options.cycle) {
    auto passed = b.div(steps, last);
    auto cycles = b.op("Floor", {passed});
    cycles = b.add(cycles, b.cast(b.op("Less", {cycles, passed}), s.dtype));
    last = b.mul(last, b.op("Maximum", {cycles, s.number(1)}));
  } else {
    steps = b.op("Minimum", {steps, last});
  }
  auto end = s.number(options.end_learning_rate);
  auto remaining = b.op("Pow", {1.0 - b.div(steps, last), s.number(options.power)});
  return b.add(b.mul(b.sub(s.rate, end), remaining), end);
}

Value piecewise_constant(
    const Builder& builder, const Value& x, const std::vector<double>& boundaries,
    const std::vector<double>& values) {
  if (values.size() != boundaries.size() + 1) {
    builder.fail(invalid_argument(
        "The length of boundaries should be 1 less than the length of values: " +
        std::to_string(boundaries.size()) + " and " + std::to_string(values.size())));
    return {};
  }
  Schedule s(builder, "PiecewiseConstant", values.back(), x);
  auto step = Operand(x).tensor(s.b);
  if (!step.is_valid()) return {};
  auto rate = s.rate;
  for (auto i = boundaries.size(); i-- > 0;) {
    auto limit = Operand(boundaries[i]).tensor(s.b, step.dtype());
    rate = s.b.op("Select", {s.b.op("LessEqual", {step, limit}), s.number(values[i]), rate});
  }
  return rate;
}

Value cosine_decay(
    const Builder& builder, const Operand& learning_rate, const Value& global_step,
    const CosineDecayOptions& options) {
  Schedule s(builder, "CosineDecay", learning_rate, global_step);
  auto wave = s.cosine(s.finished(options.decay_steps));
  return s.b.mul(s.rate, (1 - options.alpha) * wave + options.alpha);
}

Value cosine_decay_restarts(
    const Builder& builder, const Operand& learning_rate, const Value& global_step,
    const CosineDecayRestartsOptions& options) {
  Schedule s(builder, "SGDRDecay", learning_rate, global_step);
  const auto& b = s.b;
  auto passed = b.div(s.steps, s.needed("first_decay_steps", options.first_decay_steps));
  auto longer = s.number(options.t_mul);
  Value restarts, part;
  if (options.t_mul == 1) {
    restarts = b.op("Floor", {passed});
    part = b.sub(passed, restarts);
  } else {
    auto total = b.log(1.0 - passed * (1 - options.t_mul));
    restarts = b.op("Floor", {b.div(total, b.log(longer))});
    auto length = b.op("Pow", {longer, restarts});
    part = b.div(b.sub(passed, (1.0 - length) / (1 - options.t_mul)), length);
  }
  auto height = b.op("Pow", {s.number(options.m_mul), restarts});
  auto decayed = (1 - options.alpha) * b.mul(s.cosine(part), height) + options.alpha;
  return b.mul(s.rate, decayed);
}

Value linear_cosine_decay(
    const Builder& builder, const Operand& learning_rate, const Value& global_step,
    const LinearCosineDecayOptions& options) {
  Schedule s(builder, "LinearCosineDecay", learning_rate, global_step);
  auto part = s.finished(options.decay_steps);
  auto line = options.alpha + (1.0 - part);
  return s.b.mul(s.rate, line * s.cosine(part, options.num_periods) + options.beta);
}

Value noisy_linear_cosine_decay(
    const Builder& builder, const Operand& learning_rate, const Value& global_step,
    const NoisyLinearCosineDecayOptions& options) {
  Schedule s(builder, "NoisyLinearCosineDecay", learning_rate, global_step);
  const auto& b = s.b;
  auto last = s.needed("decay_steps", options.decay_steps);
  auto clipped = b.op("Minimum", {s.steps, last});
  auto spread = b.op("Pow", {1.0 + clipped, s.number(options.variance_decay)});
  auto deviation = b.sqrt(b.div(s.number(options.initial_variance), spread));
  auto drawn = b.op("RandomStandardNormal", {b.op("Shape", {deviation})}, {{"dtype", s.dtype}});
  auto line = b.add(b.div(b.sub(last, clipped), last), b.mul(drawn, deviation));
  auto wave = s.cosine(b.div(clipped, last), options.num_periods);
  return b.mul(s.rate, (options.alpha + line) * wave + options.beta);
}

}  // namespace troupe
