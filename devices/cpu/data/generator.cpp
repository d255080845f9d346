#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data/captured_function.hpp"
#include "troupe/devices/cpu/data/dataset_kernel.hpp"
#include "troupe/devices/data/stepped_source.hpp"

namespace troupe::cpu {
namespace {

using data::Element;
using data::Pulled;

struct GeneratorFunctions {
  CapturedFunction init, next, finalize;
};

/// What `next` makes of the state that `init` returned, until it fails with OutOfRange; then
/// `finalize` is called with the state.
class Generated final : public data::SteppedSource {
 public:
  Generated(SharedIteration iteration, std::shared_ptr<const GeneratorFunctions> functions)
      : iteration_(std::move(iteration)), functions_(std::move(functions)) {}

 private:
  enum class Phase : uint8_t { init, next, finalize, ended };

  std::optional<Pulled> begin() override {
    if (phase_ == Phase::ended) return data::end_of_sequence();
    return {};
  }

  std::optional<Pulled> ask(Done done) override {
    if (phase_ == Phase::init) return functions_->init.call({}, *iteration_, std::move(done));
    const auto& function = phase_ == Phase::next ? functions_->next : functions_->finalize;
    return function.call(state_, *iteration_, std::move(done));
  }

  std::optional<Pulled> take(Pulled answer) override {
    switch (phase_) {
      case Phase::init:
        if (!answer.ok()) return answer;
        state_ = **std::move(answer);
        phase_ = Phase::next;
        return {};
      case Phase::next:
        if (!answer.ok() || answer->has_value()) return answer;
        phase_ = Phase::finalize;
        return {};
      default:
        phase_ = Phase::ended;
        if (!answer.ok()) return answer;
        return data::end_of_sequence();
    }
  }

  SharedIteration iteration_;
  std::shared_ptr<const GeneratorFunctions> functions_;
  Element state_;
  Phase phase_ = Phase::init;
};

/// One of the three functions with its attributes.
struct GeneratorPart {
  data::SharedFunction function;
  size_t captured_count;
};

Result<GeneratorPart> compile_part(
    const Node& node, const Graph& graph, Device& device, const std::string& name) {
  auto function = data::DatasetFunction::compile(node.attr<FunctionRef>(name), node, graph, device);
  if (!function) return function.status();
  return GeneratorPart{*std::move(function), node.attr<DTypes>("T" + name + "_args").size()};
}

Result<Kernel> make_generator(const Node& node, const Graph& graph, Device& device) {
  std::vector<GeneratorPart> parts;
  for (const auto* name : {"init_func", "next_func", "finalize_func"}) {
    auto part = compile_part(node, graph, device, name);
    if (!part) return part.status();
    parts.push_back(*std::move(part));
  }
  auto compute = [attrs = ElementAttrs(node), parts](Launch& launch) -> Status {
    std::vector<CapturedFunction> functions;
    int first = 0;
    for (const auto& part : parts) {
      functions.emplace_back(part.function, captured_inputs(launch, first, part.captured_count));
      first += static_cast<int>(part.captured_count);
    }
    const auto& state = parts[0].function->result_dtypes();
    if (auto status = functions[0].check({}, state); !status.ok()) return status;
    if (auto status = functions[1].check(state, attrs.dtypes); !status.ok()) return status;
    auto status = functions[2].check(state, parts[2].function->result_dtypes());
    if (!status.ok()) return status;
    auto all = std::make_shared<const GeneratorFunctions>(
        GeneratorFunctions{functions[0], functions[1].ending(), functions[2]});
    auto iterate = [all](const SharedIteration& iteration) -> Result<data::SharedSource> {
      return data::SharedSource(std::make_shared<Generated>(iteration, all));
    };
    return set_dataset(launch, make_dataset(attrs, iterate));
  };
  return Kernel{.compute = std::move(compute)};
}

}  // namespace

void add_dataset_generator_kernels(KernelCatalog& catalog) {
  catalog.add_linked("GeneratorDataset", make_generator);
}

}  // namespace troupe::cpu
