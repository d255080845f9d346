#include "troupe/devices/cpu/data/windows.hpp"

#include <algorithm>
#include <deque>
#include <limits>

#include "troupe/devices/cpu/data/dataset_kernel.hpp"
#include "troupe/devices/cpu/data/elements.hpp"
#include "troupe/devices/data/stepped_source.hpp"
#include "troupe/devices/data/window.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cpu {
namespace {

using data::Element;
using data::Pulled;
using data::SharedDataset;

/// Which elements make up a window, and where the next one begins.
struct WindowPlan {
  int64_t size;
  int64_t shift;
  int64_t stride;
  bool drops_remainder;

  /// From the first element of a full window to its last one. More than there can be where that is
  /// no int64.
  int64_t reach() const {
    int64_t gaps = 0;
    if (__builtin_mul_overflow(size - 1, stride, &gaps) ||
        gaps == std::numeric_limits<int64_t>::max())
      return std::numeric_limits<int64_t>::max();
    return gaps + 1;
  }
};

/// What the elements of a window become.
using Gather = std::function<Pulled(const std::vector<Element>&, Allocator&)>;

/// What becomes of elements that follow each other. An element that could not be made is an error
/// of the windows that it is in, and of no others.
class Windows final : public data::SteppedSource {
 public:
  Windows(SharedIteration iteration, data::SharedSource input, Gather gather, WindowPlan plan)
      : iteration_(std::move(iteration)),
        input_(std::move(input)),
        gather_(std::move(gather)),
        plan_(plan) {}

 private:
  // An input that stays where it failed, as at a file that is not there, would fill any window.
  static constexpr int64_t most_errors = 10'000;

  std::optional<Pulled> begin() override {
    if (!input_) return last_window();
    return {};
  }

  std::optional<Pulled> ask(Done done) override { return input_->pull(std::move(done)); }

  std::optional<Pulled> take(Pulled answer) override {
    if (!answer.ok() && must_end(answer.status())) return answer;
    if (answer.ok()) errors_ = 0;
    if (answer.ok() && !answer->has_value()) {
      input_ = nullptr;
      return last_window();
    }
    if (left_out_ > 0) {
      --left_out_;
      return {};
    }
    elements_.push_back(
        answer.ok() ? Result<Element>(**std::move(answer)) : Result<Element>(answer.status()));
    if (is_full()) return window();
    return {};
  }

  bool is_full() const { return std::ssize(elements_) >= plan_.reach(); }

  bool must_end(const Status& error) {
    return ++errors_ > most_errors || iteration_->is_stopped() || error.code() == Code::cancelled;
  }

  /// What comes at the end of the input.
  Pulled last_window() {
    if (elements_.empty() || (plan_.drops_remainder && !is_full())) return data::end_of_sequence();
    return window();
  }

  /// The window of the elements that are there; the first of them are then those of the next one.
  Pulled window() {
    Status status;
    std::vector<Element> chosen;
    auto count = std::ssize(elements_);
    for (int64_t at = 0; status.ok() && at < count;) {
      const auto& element = elements_[static_cast<size_t>(at)];
      if (element.ok()) chosen.push_back(*element);
      else status = element.status();
      if (__builtin_add_overflow(at, plan_.stride, &at)) break;
    }
    auto dropped = std::min(plan_.shift, count);
    elements_.erase(elements_.begin(), elements_.begin() + dropped);
    left_out_ = plan_.shift - dropped;
    if (!status.ok()) return status;
    return gather_(chosen, iteration_->device().allocator());
  }

  SharedIteration iteration_;
  data::SharedSource input_;  // null at its end
  Gather gather_;
  WindowPlan plan_;
  std::deque<Result<Element>> elements_;  // from the first one of the next window on
  int64_t left_out_ = 0;                  // elements before that, which are still to be pulled
  int64_t errors_ = 0;                    // without another answer between them
};

/// A dataset for each component of the elements, which are those of `dataset`.
Gather datasets_of(const SharedDataset& dataset) {
  return [=](const std::vector<Element>& elements, Allocator&) -> Pulled {
    Element datasets;
    for (size_t i = 0; i < dataset->dtypes().size(); ++i) {
      std::vector<Element> component;
      for (const auto& element : elements) component.push_back({element[i]});
      datasets.push_back(data::to_tensor(
          data::make_window({dataset->dtypes()[i]}, {dataset->shapes()[i]}, std::move(component))));
    }
    return std::optional<Element>(std::move(datasets));
  };
}

Result<int64_t> positive_input(const Launch& launch, int index, const char* name) {
  auto value = number_input(launch, index, name);
  if (value.ok() && *value <= 0)
    return invalid_argument(std::string("Window ") + name + " must be greater than zero.");
  return value;
}

Result<WindowPlan> plan_input(const Launch& launch) {
  auto size = positive_input(launch, 1, "size");
  if (!size) return size.status();
  auto shift = positive_input(launch, 2, "shift");
  if (!shift) return shift.status();
  auto stride = positive_input(launch, 3, "stride");
  if (!stride) return stride.status();
  if (launch.input_count() < 5) return WindowPlan{*size, *shift, *stride, true};
  auto drops = flag_input(launch, 4, "drop_remainder");
  if (!drops) return drops.status();
  return WindowPlan{*size, *shift, *stride, *drops};
}

Result<Kernel> make_windows(const Node& node) {
  return Kernel{.compute = [attrs = ElementAttrs(node)](Launch& launch) -> Status {
    auto input = dataset_input(launch, 0);
    if (!input) return input.status();
    DTypes windows((*input)->dtypes().size(), DType::variant);
    if (auto status = attrs.check(windows); !status.ok()) return status;
    auto plan = plan_input(launch);
    if (!plan) return plan.status();
    return set_dataset(
        launch, make_dataset(attrs, over<Windows>(*input, datasets_of(*input), *plan)));
  }};
}

/// Full windows alone, each as a batch.
Result<Kernel> make_sliding_windows(const Node& node) {
  return transform_kernel(node, [](Launch& launch, const SharedDataset& input) -> Result<Iterate> {
    auto plan = plan_input(launch);
    if (!plan) return plan.status();
    return over<Windows>(input, Gather(stack), *plan);
  });
}

}  // namespace

void add_dataset_windows_kernels(KernelCatalog& catalog) {
  catalog.add("WindowDataset", make_windows);
  for (const auto* op : {"SlidingWindowDataset", "ExperimentalSlidingWindowDataset"})
    catalog.add(op, make_sliding_windows);
}

}  // namespace troupe::cpu
