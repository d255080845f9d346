#include <algorithm>
#include <string>
#include <thread>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data/captured_function.hpp"
#include "troupe/devices/cpu/data/dataset_kernel.hpp"
#include "troupe/devices/cpu/data/elements.hpp"
#include "troupe/devices/cpu/data/sources.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"
#include "troupe/devices/data/buffered_source.hpp"
#include "troupe/devices/data/stepped_source.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/devices/files/record_file.hpp"

namespace troupe::cpu {
namespace {

using data::Element;
using data::Pulled;

/// A source whose one element is the state after the function has been called with the state and
/// each element of the input.
class Reduced final : public data::SteppedSource {
 public:
  Reduced(
      SharedIteration iteration, data::SharedSource input, CapturedFunction function, Element state)
      : iteration_(std::move(iteration)),
        input_(std::move(input)),
        function_(std::move(function)),
        state_(std::move(state)) {}

 private:
  std::optional<Pulled> ask(Done done) override {
    if (!is_called_) return input_->pull(std::move(done));
    return function_.call(std::move(state_), *iteration_, std::move(done));
  }

  std::optional<Pulled> take(Pulled answer) override {
    if (iteration_->is_stopped()) return Pulled(cancelled("nothing waits for the result any more"));
    if (!answer.ok()) return answer;
    if (std::exchange(is_called_, false)) {
      state_ = **std::move(answer);
      return {};
    }
    if (!answer->has_value()) return Pulled(std::optional<Element>(std::move(state_)));
    for (auto& component : **answer) state_.push_back(std::move(component));
    is_called_ = true;
    return {};
  }

  SharedIteration iteration_;
  data::SharedSource input_;
  CapturedFunction function_;
  Element state_;  // for a call, with the element behind it
  bool is_called_ = false;
};

/// A source whose one element is that of the input; an error where that has none, or several.
class Single final : public data::SteppedSource {
 public:
  Single(SharedIteration, data::SharedSource input) : input_(std::move(input)) {}

 private:
  std::optional<Pulled> ask(Done done) override { return input_->pull(std::move(done)); }

  std::optional<Pulled> take(Pulled answer) override {
    if (!answer.ok()) return answer;
    if (!answer->has_value()) {
      if (!element_) return Pulled(invalid_argument("Dataset was empty."));
      return Pulled(std::move(element_));
    }
    if (element_) return Pulled(invalid_argument("Dataset had more than one element."));
    element_ = **std::move(answer);
    return {};
  }

  data::SharedSource input_;
  std::optional<Element> element_;
};

/// A source without elements, which writes those of the input to a file before it ends.
class Written final : public data::SteppedSource {
 public:
  Written(SharedIteration iteration, data::SharedSource input, RecordFileWriter writer)
      : iteration_(std::move(iteration)), input_(std::move(input)), writer_(std::move(writer)) {}

 private:
  std::optional<Pulled> ask(Done done) override { return input_->pull(std::move(done)); }

  std::optional<Pulled> take(Pulled answer) override {
    if (iteration_->is_stopped()) return Pulled(cancelled("nothing waits for the file any more"));
    if (!answer.ok()) return answer;
    if (!answer->has_value()) {
      if (auto status = writer_.close(); !status.ok()) return Pulled(status);
      return answer;
    }
    const auto& record = (**answer)[0];
    if (!record.shape().is_scalar())
      return Pulled(invalid_argument(
          "a record must be a scalar, not one of shape " + record.shape().to_string()));
    if (auto status = writer_.write(record.value<std::string>()); !status.ok())
      return Pulled(status);
    return {};
  }

  SharedIteration iteration_;
  data::SharedSource input_;
  RecordFileWriter writer_;
};

Status set_components(Launch& launch, const ElementAttrs& attrs, Pulled pulled) {
  if (!pulled.ok()) return pulled.status();
  auto& element = **pulled;
  if (auto status = data::check_element(element, attrs.dtypes, attrs.shapes); !status.ok())
    return status;
  for (size_t i = 0; i < element.size(); ++i)
    launch.set(static_cast<int>(i), std::move(element[i]));
  return {};
}

/// Pulls once from a source, on a thread of the device, and is done with what `take` makes of that.
void pull_once(
    Launch& launch, const SharedIteration& iteration, const data::SharedSource& source,
    std::function<Status(Pulled)> take, Kernel::Done done) {
  launch.on_cancel([iteration] { iteration->stop(); });
  launch.device().enqueue([iteration, source, take = std::move(take), done = std::move(done)] {
    auto end = [iteration, source, take, done](Pulled pulled) { done(take(std::move(pulled))); };
    if (auto pulled = source->pull(end)) end(*std::move(pulled));
  });
}

/// Sets the outputs to the one element of a source.
void compute_by(
    Launch& launch, const ElementAttrs& attrs, const SharedIteration& iteration,
    const data::SharedSource& source, Kernel::Done done) {
  auto take = [&launch, attrs](Pulled pulled) {
    return set_components(launch, attrs, std::move(pulled));
  };
  pull_once(launch, iteration, source, take, std::move(done));
}

Result<data::SharedSource> begin_reduction(
    Launch& launch, const SharedIteration& iteration, const CapturedFunction& function,
    Element state) {
  auto input = dataset_input(launch, 0);
  if (!input) return input.status();
  DTypes state_dtypes;
  for (const auto& component : state) state_dtypes.push_back(component.dtype());
  auto arguments = state_dtypes;
  const auto& elements = (*input)->dtypes();
  arguments.insert(arguments.end(), elements.begin(), elements.end());
  if (auto status = function.check(arguments, state_dtypes); !status.ok()) return status;
  auto source = (*input)->iterate(iteration);
  if (!source) return source;
  return data::SharedSource(
      std::make_shared<Reduced>(iteration, *std::move(source), function, std::move(state)));
}

Result<Kernel> make_reduce(const Node& node, const Graph& graph, Device& device) {
  auto function = data::DatasetFunction::compile(node.attr<FunctionRef>("f"), node, graph, device);
  if (!function) return function.status();
  auto state_count = node.attr<DTypes>("Tstate").size();
  auto captured_count = node.attr<DTypes>("Targuments").size();
  Kernel kernel;
  kernel.start = [=, attrs = ElementAttrs(node), function = *std::move(function)](
                     Launch& launch, Kernel::Done done) {
    CapturedFunction captured(
        function, captured_inputs(launch, 1 + static_cast<int>(state_count), captured_count));
    auto iteration = std::make_shared<data::Iteration>(launch.device());
    auto source =
        begin_reduction(launch, iteration, captured, captured_inputs(launch, 1, state_count));
    if (!source) return done(source.status());
    compute_by(launch, attrs, iteration, *source, std::move(done));
  };
  kernel.awaits = "the elements of a dataset";
  return kernel;
}

Result<Kernel> make_single(const Node& node) {
  Kernel kernel;
  kernel.start = [attrs = ElementAttrs(node)](Launch& launch, Kernel::Done done) {
    auto input = dataset_input(launch, 0);
    if (!input) return done(input.status());
    auto iteration = std::make_shared<data::Iteration>(launch.device());
    auto source = over<Single>(*input)(iteration);
    if (!source) return done(source.status());
    compute_by(launch, attrs, iteration, *source, std::move(done));
  };
  kernel.awaits = "the elements of a dataset";
  return kernel;
}

/// A source whose one element is all elements of the input, stacked.
class Stacked final : public data::SteppedSource {
 public:
  Stacked(SharedIteration iteration, data::SharedSource input)
      : iteration_(std::move(iteration)), input_(std::move(input)) {}

 private:
  std::optional<Pulled> ask(Done done) override { return input_->pull(std::move(done)); }

  std::optional<Pulled> take(Pulled answer) override {
    if (iteration_->is_stopped()) return Pulled(cancelled("nothing waits for the result any more"));
    if (!answer.ok()) return answer;
    if (!answer->has_value()) return stack(elements_, iteration_->device().allocator());
    elements_.push_back(**std::move(answer));
    return {};
  }

  SharedIteration iteration_;
  data::SharedSource input_;
  std::vector<Element> elements_;
};

/// MapDefun, whose attributes say the shapes of the function's results.
struct MappedSlices {
  ElementAttrs attrs;
  data::SharedFunction function;
  int argument_count;

  Result<int64_t> rows(const Launch& launch) const {
    for (int i = 0; i < argument_count; ++i) {
      const auto& shape = launch.input(i).shape();
      if (shape.is_scalar())
        return invalid_argument(
            "All inputs must have rank at least 1. Input " + std::to_string(i) +
            " has a rank of 0.");
      if (shape[0] != launch.input(0).shape()[0])
        return invalid_argument(
            "All inputs must have the same dimension 0. Input " + std::to_string(i) +
            " has leading dimension " + std::to_string(shape[0]) +
            ", while all previous inputs have leading dimension " +
            std::to_string(launch.input(0).shape()[0]));
      if (is_opaque(launch.input(i).dtype()))
        return unimplemented("handles and variants cannot be sliced");
    }
    return launch.input(0).shape()[0];
  }

  /// Of no slices.
  Status set_empty(Launch& launch) const {
    for (size_t i = 0; i < attrs.shapes.size(); ++i) {
      if (!attrs.shapes[i].is_known())
        return invalid_argument("a result of no slices needs a known shape");
      std::vector<int64_t> sizes = {0};
      auto own = attrs.shapes[i].sizes();
      sizes.insert(sizes.end(), own.begin(), own.end());
      auto shape = Shape::make(sizes);
      if (!shape) return shape.status();
      auto out = launch.allocate(attrs.dtypes[i], *shape);
      if (!out) return out.status();
      launch.set(static_cast<int>(i), *std::move(out));
    }
    return {};
  }

  data::SharedSource begin(Launch& launch, const SharedIteration& iteration) const {
    auto call =
        [captured = std::make_shared<const Tensors>(captured_inputs(
             launch, argument_count, static_cast<size_t>(launch.input_count() - argument_count))),
         attrs = attrs, function = function,
         iteration](Element element, data::ElementSource::Done done) {
          auto checked = [attrs](Pulled pulled) -> Pulled {
            if (!pulled.ok() || !pulled->has_value()) return pulled;
            auto status = data::check_element(**pulled, attrs.dtypes, attrs.shapes);
            if (!status.ok()) return status;
            return pulled;
          };
          auto answer = function->call(
              std::move(element), captured, data::AtOutOfRange::fails, *iteration,
              [checked, done](Pulled pulled) { done(checked(std::move(pulled))); });
          return answer ? std::optional<Pulled>(checked(*std::move(answer))) : answer;
        };
    auto slices = slices_source(iteration, captured_inputs(launch, 0, size_t(argument_count)));
    auto calls = std::max<size_t>(std::thread::hardware_concurrency(), 1);
    auto mapped = std::make_shared<data::BufferedSource>(iteration, std::move(slices), calls, call);
    return std::make_shared<Stacked>(iteration, std::move(mapped));
  }
};

Result<Kernel> make_map_defun(const Node& node, const Graph& graph, Device& device) {
  auto function = data::DatasetFunction::compile(node.attr<FunctionRef>("f"), node, graph, device);
  if (!function) return function.status();
  auto arguments = node.attr<DTypes>("Targuments");
  MappedSlices map{ElementAttrs(node), *std::move(function), static_cast<int>(arguments.size())};
  if (map.attrs.dtypes.size() != map.attrs.shapes.size())
    return invalid_argument("Length of output_shapes and output_types must match.");
  for (auto status :
       {map.function->check_arguments(arguments, node.attr<DTypes>("Tcaptured")),
        map.function->check_results(map.attrs.dtypes)})
    if (!status.ok()) return status;
  Kernel kernel;
  kernel.start = [map](Launch& launch, Kernel::Done done) {
    auto rows = map.rows(launch);
    if (!rows) return done(rows.status());
    if (*rows == 0) return done(map.set_empty(launch));
    auto iteration = std::make_shared<data::Iteration>(launch.device());
    auto stacked = map.attrs;
    stacked.shapes.assign(stacked.shapes.size(), Shape::unknown_rank());
    compute_by(launch, stacked, iteration, map.begin(launch, iteration), std::move(done));
  };
  kernel.awaits = "calls of a function";
  return kernel;
}

/// Inputs: the dataset, filename, compression_type.
Result<data::SharedSource> begin_writing(const Launch& launch, const SharedIteration& iteration) {
  auto input = dataset_input(launch, 0);
  if (!input) return input.status();
  if ((*input)->dtypes() != DTypes{DType::string})
    return invalid_argument("only a dataset of one string component can be written to a file");
  auto filename = scalar_input<std::string>(launch.input(1), "filename");
  if (!filename) return filename.status();
  auto type = scalar_input<std::string>(launch.input(2), "compression_type");
  if (!type) return type.status();
  auto compression = parse_compression(*type);
  if (!compression) return compression.status();
  auto source = (*input)->iterate(iteration);
  if (!source) return source;
  auto writer = RecordFileWriter::create(*filename, {.type = *compression});
  if (!writer) return writer.status();
  return data::SharedSource(
      std::make_shared<Written>(iteration, *std::move(source), *std::move(writer)));
}

Kernel write_records_kernel() {
  Kernel kernel;
  kernel.start = [](Launch& launch, Kernel::Done done) {
    auto iteration = std::make_shared<data::Iteration>(launch.device());
    auto source = begin_writing(launch, iteration);
    if (!source) return done(source.status());
    auto take = [](const Pulled& pulled) { return pulled.status(); };
    pull_once(launch, iteration, *source, take, std::move(done));
  };
  kernel.awaits = "the elements of a dataset";
  return kernel;
}

}  // namespace

void add_dataset_reduction_kernels(KernelCatalog& catalog) {
  catalog.add_linked("ReduceDataset", make_reduce);
  catalog.add("DatasetToSingleElement", make_single);
  catalog.add_linked("MapDefun", make_map_defun);
  for (const auto* op : {"DatasetToTFRecord", "ExperimentalDatasetToTFRecord"})
    catalog.add(op, [](const Node&) -> Result<Kernel> { return write_records_kernel(); });
}

}  // namespace troupe::cpu
