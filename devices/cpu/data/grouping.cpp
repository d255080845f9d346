#include "troupe/devices/cpu/data/grouping.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "troupe/devices/cpu/data/captured_function.hpp"
#include "troupe/devices/data/stepped_source.hpp"
#include "troupe/devices/data/window.hpp"

namespace troupe::cpu {
namespace {

using data::Element;
using data::Pulled;

struct GroupFunctions {
  CapturedFunction key;          // of an element, an int64
  CapturedFunction window_size;  // of a key, an int64
  CapturedFunction reduce;       // of a key and the dataset of a window, a dataset
};

/// The int64 that a function has returned.
Result<int64_t> number_of(const Pulled& answer, const char* function) {
  if (!answer.ok()) return answer.status();
  const auto& number = (**answer)[0];
  if (number.shape().is_scalar()) return number.value<int64_t>();
  return invalid_argument(
      std::string("`") + function + "` must return a scalar int64, not one of shape " +
      number.shape().to_string());
}

/// Collects elements by their keys. As soon as a window is full, what the function makes of it
/// comes; at the end of the input so do the windows that are not full, by key.
class Grouped final : public data::SteppedSource {
 public:
  Grouped(
      SharedIteration iteration, data::SharedSource input, data::SharedDataset dataset,
      GroupFunctions functions)
      : iteration_(std::move(iteration)),
        input_(std::move(input)),
        dataset_(std::move(dataset)),
        functions_(std::move(functions)) {}

 private:
  enum class Asked : uint8_t { input, key, window_size, reduce, group };
  struct Group {
    int64_t window_size = 0;  // 0: the function has not been asked yet
    std::vector<Element> elements;
  };

  std::optional<Pulled> begin() override {
    if (!input_ && asked_ == Asked::input) return data::end_of_sequence();
    return {};
  }

  std::optional<Pulled> ask(Done done) override {
    switch (asked_) {
      case Asked::input: return input_->pull(std::move(done));
      case Asked::key: return functions_.key.call(element_, *iteration_, std::move(done));
      case Asked::window_size:
        return functions_.window_size.call({Tensor::scalar(key_)}, *iteration_, std::move(done));
      case Asked::reduce:
        return functions_.reduce.call(
            {Tensor::scalar(key_), data::to_tensor(std::move(window_))}, *iteration_,
            std::move(done));
      case Asked::group: break;
    }
    return group_->pull(std::move(done));
  }

  std::optional<Pulled> take(Pulled answer) override {
    switch (asked_) {
      case Asked::input: return take_element(std::move(answer));
      case Asked::key: return take_key(answer);
      case Asked::window_size: return take_window_size(answer);
      case Asked::reduce: return take_group(answer);
      case Asked::group: break;
    }
    if (!answer.ok() || answer->has_value()) return answer;
    group_ = nullptr;
    return go_on_behind_group();
  }

  std::optional<Pulled> take_element(Pulled answer) {
    if (!answer.ok()) return answer;
    if (!answer->has_value()) {
      input_ = nullptr;
      return go_on_behind_group();
    }
    element_ = **std::move(answer);
    asked_ = Asked::key;
    return {};
  }

  std::optional<Pulled> take_key(const Pulled& answer) {
    asked_ = Asked::input;
    auto key = number_of(answer, "key_func");
    if (!key) return Pulled(key.status());
    key_ = *key;
    if (groups_[key_].window_size == 0) asked_ = Asked::window_size;
    else add_to_group();
    return {};
  }

  std::optional<Pulled> take_window_size(const Pulled& answer) {
    asked_ = Asked::input;
    auto size = number_of(answer, "window_size_func");
    if (!size) return Pulled(size.status());
    if (*size <= 0)
      return Pulled(invalid_argument(
          "Window size must be greater than zero, but got " + std::to_string(*size) + "."));
    groups_[key_].window_size = *size;
    add_to_group();
    return {};
  }

  void add_to_group() {
    auto& group = groups_[key_];
    group.elements.push_back(std::move(element_));
    if (static_cast<int64_t>(group.elements.size()) == group.window_size) reduce(group);
  }

  void reduce(Group& group) {
    window_ = data::make_window(
        dataset_->dtypes(), dataset_->shapes(), std::exchange(group.elements, {}));
    asked_ = Asked::reduce;
  }

  std::optional<Pulled> take_group(const Pulled& answer) {
    asked_ = Asked::input;
    auto dataset = answer.ok() ? data::dataset_of((**answer)[0]) : answer.status();
    auto source = dataset ? (*dataset)->iterate(iteration_) : dataset.status();
    if (!source) {
      if (!input_) find_rest();  // the windows behind it can still come
      return Pulled(source.status());
    }
    group_ = *std::move(source);
    asked_ = Asked::group;
    return {};
  }

  std::optional<Pulled> go_on_behind_group() {
    asked_ = Asked::input;
    if (input_ || find_rest()) return {};
    return data::end_of_sequence();
  }

  /// At the end of the input: whether there is a window that is not full, which then is next.
  bool find_rest() {
    while (!groups_.empty()) {
      auto first = groups_.extract(groups_.begin());
      if (first.mapped().elements.empty()) continue;
      key_ = first.key();
      reduce(first.mapped());
      return true;
    }
    return false;
  }

  SharedIteration iteration_;
  data::SharedSource input_;  // null at its end
  data::SharedDataset dataset_;
  GroupFunctions functions_;
  std::map<int64_t, Group> groups_;  // by key
  Asked asked_ = Asked::input;
  int64_t key_ = 0;
  Element element_;
  data::SharedDataset window_;
  data::SharedSource group_;  // null where none is read
};

struct ReducerFunctions {
  CapturedFunction key;       // of an element, an int64
  CapturedFunction init;      // of a key, a state
  CapturedFunction reduce;    // of a state and an element, the next state
  CapturedFunction finalize;  // of a state, an element
};

/// Reduces the elements of each key to a state. At the end of the input, what the function makes of
/// the states comes, by key. An element whose key or state cannot be made leaves the state as it
/// is.
class GroupReduced final : public data::SteppedSource {
 public:
  GroupReduced(SharedIteration iteration, data::SharedSource input, ReducerFunctions functions)
      : iteration_(std::move(iteration)),
        input_(std::move(input)),
        functions_(std::move(functions)) {}

 private:
  enum class Asked : uint8_t { input, key, init, reduce, finalize };

  std::optional<Pulled> begin() override {
    if (asked_ == Asked::finalize && states_.empty()) return data::end_of_sequence();
    return {};
  }

  std::optional<Pulled> ask(Done done) override {
    switch (asked_) {
      case Asked::input: return input_->pull(std::move(done));
      case Asked::key: return functions_.key.call(element_, *iteration_, std::move(done));
      case Asked::init:
        return functions_.init.call({Tensor::scalar(key_)}, *iteration_, std::move(done));
      case Asked::reduce: return reduce(std::move(done));
      case Asked::finalize: break;
    }
    auto first = states_.extract(states_.begin());
    return functions_.finalize.call(std::move(first.mapped()), *iteration_, std::move(done));
  }

  std::optional<Pulled> reduce(Done done) {
    auto arguments = states_.at(key_);
    std::ranges::move(element_, std::back_inserter(arguments));
    return functions_.reduce.call(std::move(arguments), *iteration_, std::move(done));
  }

  std::optional<Pulled> take(Pulled answer) override {
    switch (asked_) {
      case Asked::input: return take_element(std::move(answer));
      case Asked::key: return take_key(answer);
      case Asked::init:
      case Asked::reduce: return take_state(std::move(answer));
      case Asked::finalize: break;
    }
    return answer;
  }

  std::optional<Pulled> take_element(Pulled answer) {
    if (!answer.ok()) return answer;
    if (answer->has_value()) {
      element_ = **std::move(answer);
      asked_ = Asked::key;
      return {};
    }
    input_ = nullptr;
    asked_ = Asked::finalize;
    return begin();
  }

  std::optional<Pulled> take_key(const Pulled& answer) {
    asked_ = Asked::input;
    auto key = number_of(answer, "key_func");
    if (!key) return Pulled(key.status());
    key_ = *key;
    asked_ = states_.contains(key_) ? Asked::reduce : Asked::init;
    return {};
  }

  std::optional<Pulled> take_state(Pulled answer) {
    auto was_asked = std::exchange(asked_, Asked::input);
    if (!answer.ok()) return answer;
    states_[key_] = **std::move(answer);
    if (was_asked == Asked::init) asked_ = Asked::reduce;
    return {};
  }

  SharedIteration iteration_;
  data::SharedSource input_;  // null at its end
  ReducerFunctions functions_;
  std::map<int64_t, Element> states_;  // by key
  Asked asked_ = Asked::input;
  int64_t key_ = 0;
  Element element_;
};

struct GroupFunction {
  data::SharedFunction function;
  size_t captured_count;

  static Result<GroupFunction> compile(
      const std::string& attr, const Node& node, const Graph& graph, Device& device) {
    auto function =
        data::DatasetFunction::compile(node.attr<FunctionRef>(attr), node, graph, device);
    if (!function) return function.status();
    return GroupFunction{
        *std::move(function), node.attr<DTypes>("T" + attr + "_other_arguments").size()};
  }
  /// With the inputs from `first` on, behind which it moves.
  CapturedFunction with_inputs(const Launch& launch, int& first) const {
    auto captured = captured_inputs(launch, first, captured_count);
    first += static_cast<int>(captured_count);
    return {function, std::move(captured)};
  }
};

Status check_functions(const GroupFunctions& functions, const DTypes& element) {
  if (auto status = functions.key.check(element, {DType::int64}); !status.ok()) return status;
  auto status = functions.window_size.check({DType::int64}, {DType::int64});
  if (!status.ok()) return status;
  return functions.reduce.check({DType::int64, DType::variant}, {DType::variant});
}

Result<Kernel> make_group_by_window(const Node& node, const Graph& graph, Device& device) {
  auto key = GroupFunction::compile("key_func", node, graph, device);
  auto reduce = GroupFunction::compile("reduce_func", node, graph, device);
  auto window_size = GroupFunction::compile("window_size_func", node, graph, device);
  for (const auto* function : {&key, &reduce, &window_size})
    if (!*function) return function->status();
  auto compute = [=, attrs = ElementAttrs(node)](Launch& launch) -> Status {
    auto input = dataset_input(launch, 0);
    if (!input) return input.status();
    int at = 1;
    auto key_function = key->with_inputs(launch, at);
    auto reduce_function = reduce->with_inputs(launch, at);
    GroupFunctions functions{
        std::move(key_function), window_size->with_inputs(launch, at), std::move(reduce_function)};
    if (auto status = check_functions(functions, (*input)->dtypes()); !status.ok()) return status;
    return set_dataset(launch, make_dataset(attrs, over<Grouped>(*input, *input, functions)));
  };
  return Kernel{.compute = std::move(compute)};
}

Status check_functions(
    const ReducerFunctions& functions, const DTypes& element, const DTypes& results) {
  if (auto status = functions.key.check(element, {DType::int64}); !status.ok()) return status;
  const auto& state = functions.init.result_dtypes();
  if (auto status = functions.init.check({DType::int64}, state); !status.ok()) return status;
  auto arguments = state;
  arguments.insert(arguments.end(), element.begin(), element.end());
  if (auto status = functions.reduce.check(arguments, state); !status.ok()) return status;
  return functions.finalize.check(state, results);
}

Result<Kernel> make_group_by_reducer(const Node& node, const Graph& graph, Device& device) {
  std::vector<GroupFunction> functions;
  for (const auto* attr : {"key_func", "init_func", "reduce_func", "finalize_func"}) {
    auto function = GroupFunction::compile(attr, node, graph, device);
    if (!function) return function.status();
    functions.push_back(*std::move(function));
  }
  auto compute = [functions, attrs = ElementAttrs(node)](Launch& launch) -> Status {
    auto input = dataset_input(launch, 0);
    if (!input) return input.status();
    int at = 1;
    auto next = [&launch, &at, each = functions.begin()]() mutable {
      return (each++)->with_inputs(launch, at);
    };
    ReducerFunctions captured{.key = next(), .init = next(), .reduce = next(), .finalize = next()};
    auto status = check_functions(captured, (*input)->dtypes(), attrs.dtypes);
    if (!status.ok()) return status;
    return set_dataset(launch, make_dataset(attrs, over<GroupReduced>(*input, captured)));
  };
  return Kernel{.compute = std::move(compute)};
}

}  // namespace

void add_dataset_grouping_kernels(KernelCatalog& catalog) {
  for (const auto* op : {"GroupByWindowDataset", "ExperimentalGroupByWindowDataset"})
    catalog.add_linked(op, make_group_by_window);
  for (const auto* op : {"GroupByReducerDataset", "ExperimentalGroupByReducerDataset"})
    catalog.add_linked(op, make_group_by_reducer);
}

}  // namespace troupe::cpu
