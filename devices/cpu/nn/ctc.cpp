#include "troupe/devices/cpu/nn/ctc.hpp"

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {

Result<CtcActivations> CtcActivations::of(const Tensor& inputs, const Tensor& lengths) {
  const auto& shape = inputs.shape();
  if (shape.rank() != 3 || shape[0] == 0 || shape[2] == 0)
    return invalid_argument(
        "the inputs must have the shape [time, batch, classes], with at least one time and one "
        "class, but have " +
        shape.to_string());
  if (shape[2] > std::numeric_limits<int32_t>::max())
    return invalid_argument("there are more classes than an int32 label can name");
  if (lengths.shape() != Shape{shape[1]})
    return invalid_argument(
        "sequence_length must be a vector of " + std::to_string(shape[1]) +
        " elements, but has the shape " + lengths.shape().to_string());
  CtcActivations activations;
  activations.inputs_ = inputs;
  activations.lengths_ = lengths.values<int32_t>();
  for (auto length : activations.lengths_)
    if (length < 0 || length > shape[0])
      return invalid_argument(
          "the sequence length " + std::to_string(length) + " is not in [0, " +
          std::to_string(shape[0]) + "]");
  return activations;
}

void CtcActivations::read(int64_t time, int64_t sequence, std::span<double> row) const {
  auto first = (time * batch() + sequence) * classes();
  if (inputs_.dtype() == DType::float64)
    std::copy_n(inputs_.data<double>() + first, classes(), row.begin());
  else std::copy_n(inputs_.data<float>() + first, classes(), row.begin());
}

void CtcActivations::read_logs(int64_t time, int64_t sequence, std::span<double> row) const {
  read(time, sequence, row);
  auto most = *std::ranges::max_element(row);
  double sum = 0;
  for (auto activation : row) sum += std::exp(activation - most);
  auto offset = most + std::log(sum);
  for (auto& activation : row) activation -= offset;
}

namespace {

struct CtcLossOptions {
  bool collapses_labels;
  bool merges_repeated;
  bool ignores_long_labels;
};

using LabelSequence = std::vector<int32_t>;

/// The labels of each sequence. Their places must be in order.
Result<std::vector<LabelSequence>> read_labels(
    const Tensor& indices, const Tensor& values, int64_t batch) {
  if (values.shape().rank() != 1 || indices.shape() != Shape{values.elements(), 2})
    return invalid_argument(
        "labels_indices must have the shape [labels,2] and labels_values [labels], but they have " +
        indices.shape().to_string() + " and " + values.shape().to_string());
  std::vector<LabelSequence> labels(static_cast<size_t>(batch));
  const auto* index = indices.data<int64_t>();
  const auto* value = values.data<int32_t>();
  for (int64_t i = 0; i < values.elements(); ++i) {
    auto sequence = index[2 * i], position = index[2 * i + 1];
    auto text = [](int64_t a, int64_t b) {
      return "[" + std::to_string(a) + "," + std::to_string(b) + "]";
    };
    if (sequence < 0 || sequence >= batch || position < 0)
      return invalid_argument(
          "the label index " + text(sequence, position) + " is not in a batch of " +
          std::to_string(batch) + " sequences");
    if (i > 0 && std::pair(sequence, position) <= std::pair(index[2 * i - 2], index[2 * i - 1]))
      return invalid_argument(
          "label indices must be in order, but " + text(sequence, position) + " comes after " +
          text(index[2 * i - 2], index[2 * i - 1]));
    labels[static_cast<size_t>(sequence)].push_back(value[i]);
  }
  return labels;
}

/// The labels with a blank before each and at the end. Blanks among the labels may only be last.
Result<LabelSequence> with_blanks(
    const LabelSequence& labels, int64_t blank, bool collapses, int64_t sequence) {
  auto where = " in sequence " + std::to_string(sequence);
  LabelSequence extended = {static_cast<int32_t>(blank)};
  bool is_finished = false;
  for (size_t i = 0; i < labels.size(); ++i) {
    auto label = labels[i];
    if (collapses && i > 0 && label == labels[i - 1]) continue;
    if (label < 0)
      return invalid_argument("the label " + std::to_string(label) + " is negative" + where);
    if (label >= blank) {
      is_finished = true;
      continue;
    }
    if (is_finished)
      return invalid_argument(
          "the label " + std::to_string(label) + " comes after a blank one" + where);
    extended.insert(extended.end(), {label, static_cast<int32_t>(blank)});
  }
  return extended;
}

/// What one sequence is computed in.
class CtcLattice {
 public:
  CtcLattice(LabelSequence labels, int64_t blank, int64_t times, bool merges, double* forward)
      : labels_(std::move(labels)),
        blank_(blank),
        times_(times),
        merges_(merges),
        forward_(forward) {}

  int64_t places() const { return std::ssize(labels_); }
  int32_t label(int64_t place) const { return labels_[static_cast<size_t>(place)]; }

  /// Whether a path may stay at a place, and whether it may leave out the place before it.
  bool may_stay(int64_t place) const { return merges_ || label(place) == blank_; }
  bool may_skip_to(int64_t place) const {
    return place > 1 && label(place) != blank_ && !(merges_ && label(place) == label(place - 2));
  }

  double* forward(int64_t time) const { return forward_ + time * places(); }

  /// Fills in the logarithms of the probabilities of all ways to each place at each time.
  void walk_forward(std::span<const double> logs, int64_t classes) const {
    std::fill_n(forward_, times_ * places(), log_of_zero);
    for (int64_t place = 0; place < std::min<int64_t>(2, places()); ++place)
      forward(0)[place] = logs[static_cast<size_t>(label(place))];
    for (int64_t time = 1; time < times_; ++time) {
      const auto *before = forward(time - 1), *now = logs.data() + time * classes;
      for (int64_t place = 0; place < places(); ++place) {
        auto sum = may_stay(place) ? before[place] : log_of_zero;
        if (place > 0) sum = add_logs(sum, before[place - 1]);
        if (may_skip_to(place)) sum = add_logs(sum, before[place - 2]);
        forward(time)[place] = sum + now[label(place)];
      }
    }
  }

  /// The logarithm of the probability of all ways: they end at the last label or after it.
  double total() const {
    auto sum = log_of_zero;
    for (auto place = std::max<int64_t>(0, places() - 2); place < places(); ++place)
      sum = add_logs(sum, forward(times_ - 1)[place]);
    return sum;
  }

  /// The same of all ways from each place to the end, at the time before the one of `after`.
  void step_back(
      std::span<const double> after, const double* logs_after, std::span<double> now) const {
    auto from = [&](int64_t place) {
      return after[static_cast<size_t>(place)] + logs_after[label(place)];
    };
    for (int64_t place = 0; place < places(); ++place) {
      auto sum = may_stay(place) ? from(place) : log_of_zero;
      if (place + 1 < places()) sum = add_logs(sum, from(place + 1));
      if (place + 2 < places() && may_skip_to(place + 2)) sum = add_logs(sum, from(place + 2));
      now[static_cast<size_t>(place)] = sum;
    }
  }

 private:
  LabelSequence labels_;
  int64_t blank_, times_;
  bool merges_;
  double* forward_;
};

/// Where the results go.
struct CtcResults {
  Tensor loss, gradient;

  void set_loss(int64_t sequence, double value) {
    if (loss.dtype() == DType::float64) loss.mutable_data<double>()[sequence] = value;
    else loss.mutable_data<float>()[sequence] = static_cast<float>(value);
  }
  void set_gradient(int64_t first, std::span<const double> row) {
    if (gradient.dtype() == DType::float64)
      std::ranges::copy(row, gradient.mutable_data<double>() + first);
    else
      std::ranges::transform(row, gradient.mutable_data<float>() + first, [](double value) {
        return static_cast<float>(value);
      });
  }
};

/// Softmax minus the share of the ways that are at a class at that time; where there is no way at
/// all, softmax.
void set_derivatives(
    const CtcActivations& activations, int64_t sequence, const CtcLattice& lattice,
    std::span<const double> logs, CtcResults& results) {
  auto classes = activations.classes(), times = activations.length_of(sequence);
  auto total = lattice.total();
  auto has_ways = total != log_of_zero;
  std::vector<double> after(static_cast<size_t>(lattice.places()), log_of_zero);
  std::vector<double> now(after.size()), shares(static_cast<size_t>(classes)), row(shares.size());
  for (auto place = std::max<int64_t>(0, lattice.places() - 2); place < lattice.places(); ++place)
    after[static_cast<size_t>(place)] = 0;
  for (auto time = times - 1; time >= 0; --time) {
    std::ranges::fill(shares, log_of_zero);
    for (int64_t place = 0; place < lattice.places(); ++place) {
      auto& share = shares[static_cast<size_t>(lattice.label(place))];
      share = add_logs(share, lattice.forward(time)[place] + after[static_cast<size_t>(place)]);
    }
    const auto* here = logs.data() + time * classes;
    for (size_t i = 0; i < row.size(); ++i)
      row[i] = std::exp(here[i]) - (has_ways ? std::exp(shares[i] - total) : 0);
    results.set_gradient((time * activations.batch() + sequence) * classes, row);
    if (time == 0) break;
    lattice.step_back(after, here, now);
    std::swap(after, now);
  }
}

Status compute_sequence(
    Launch& launch, const CtcActivations& activations, int64_t sequence, LabelSequence labels,
    const CtcLossOptions& options, CtcResults& results) {
  auto times = activations.length_of(sequence), classes = activations.classes();
  auto forward = launch.allocate(DType::float64, {times, std::ssize(labels)});
  if (!forward) return forward.status();
  std::vector<double> logs(static_cast<size_t>(times * classes));
  for (int64_t time = 0; time < times; ++time)
    activations.read_logs(time, sequence, std::span(logs).subspan(time * classes, classes));
  CtcLattice lattice(
      std::move(labels), activations.blank(), times, options.merges_repeated,
      forward->mutable_data<double>());
  lattice.walk_forward(logs, classes);
  results.set_loss(sequence, -lattice.total());
  set_derivatives(activations, sequence, lattice, logs, results);
  return {};
}

/// The sequences' labels with blanks; empty for one that is left out.
Result<std::vector<LabelSequence>> plan_sequences(
    const Launch& launch, const CtcActivations& activations, const CtcLossOptions& options) {
  auto labels = read_labels(launch.input(1), launch.input(2), activations.batch());
  if (!labels) return labels;
  for (int64_t i = 0; i < activations.batch(); ++i) {
    auto& sequence = (*labels)[static_cast<size_t>(i)];
    auto count = std::ssize(sequence), length = activations.length_of(i);
    if (count == 0)
      return invalid_argument("sequence " + std::to_string(i) + " of the batch has no labels");
    auto extended = with_blanks(sequence, activations.blank(), options.collapses_labels, i);
    if (!extended) return extended.status();
    sequence = *std::move(extended);
    if (count <= length) continue;
    if (!options.ignores_long_labels)
      return invalid_argument(
          "sequence " + std::to_string(i) + " of the batch has " + std::to_string(count) +
          " labels, but only the length " + std::to_string(length) +
          "; ignore_longer_outputs_than_inputs would leave it out");
    sequence.clear();
  }
  return labels;
}

Status compute_ctc_loss(Launch& launch, const CtcLossOptions& options) {
  auto activations = CtcActivations::of(launch.input(0), launch.input(3));
  if (!activations) return activations.status();
  if (activations->batch() == 0) return invalid_argument("there are no sequences in the batch");
  auto sequences = plan_sequences(launch, *activations, options);
  if (!sequences) return sequences.status();
  auto dtype = launch.input(0).dtype();
  auto loss = launch.allocate(dtype, {activations->batch()});
  if (!loss) return loss.status();
  auto gradient = launch.allocate(dtype, launch.input(0).shape());
  if (!gradient) return gradient.status();
  CtcResults results{.loss = *std::move(loss), .gradient = *std::move(gradient)};
  auto clear = [](Tensor& tensor) {
    std::fill_n(
        static_cast<std::byte*>(tensor.mutable_raw()),
        tensor.elements() * int64_t(size_of(tensor.dtype())), std::byte{0});
  };
  clear(results.loss);
  clear(results.gradient);
  std::vector<Status> failures(static_cast<size_t>(activations->batch()));
  auto work = activations->times() * activations->classes() * 16;
  parallel_ranges(activations->batch(), work, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i)
      if (auto& labels = (*sequences)[static_cast<size_t>(i)]; !labels.empty())
        failures[static_cast<size_t>(i)] =
            compute_sequence(launch, *activations, i, std::move(labels), options, results);
  });
  for (auto& failure : failures)
    if (!failure.ok()) return failure;
  launch.set(0, std::move(results.loss));
  launch.set(1, std::move(results.gradient));
  return {};
}

}  // namespace

void add_ctc_kernels(KernelCatalog& catalog) {
  catalog.add("CTCLoss", [](const Node& node) -> Result<Kernel> {
    CtcLossOptions options{
        .collapses_labels = node.attr<bool>("preprocess_collapse_repeated"),
        .merges_repeated = node.attr<bool>("ctc_merge_repeated"),
        .ignores_long_labels = node.attr<bool>("ignore_longer_outputs_than_inputs")};
    return Kernel{
        .compute = [options](Launch& launch) { return compute_ctc_loss(launch, options); }};
  });
  add_ctc_decoders_kernels(catalog);
}

}  // namespace troupe::cpu
