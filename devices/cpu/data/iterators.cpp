#include <atomic>
#include <map>
#include <mutex>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data/dataset_kernel.hpp"
#include "troupe/devices/cpu/data/optionals.hpp"
#include "troupe/devices/cpu/put_back.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"
#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/data/optional.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/devices/resources/iterator.hpp"
#include "troupe/devices/resources/multi_device_iterator.hpp"
#include "troupe/devices/step_trace.hpp"

namespace troupe::cpu {
namespace {

using data::Pulled;

/// The texts that stand for iterators of this process. Thread-safe.
class IteratorTexts {
 public:
  std::string text_of(const std::shared_ptr<IteratorResource>& iterator, const std::string& name) {
    std::lock_guard lock(mutex_);
    std::erase_if(iterators_, [](const auto& each) { return each.second.expired(); });
    for (const auto& [text, each] : iterators_)
      if (each.lock() == iterator) return text;
    auto text = "iterator/" + name + "/" + std::to_string(++count_);
    iterators_[text] = iterator;
    return text;
  }

  Result<std::shared_ptr<IteratorResource>> find(const std::string& text) const {
    std::lock_guard lock(mutex_);
    auto found = iterators_.find(text);
    auto iterator = found == iterators_.end() ? nullptr : found->second.lock();
    if (iterator && !iterator->is_dropped()) return iterator;
    return not_found("there is no iterator for the string handle '" + text + "' on this device");
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::weak_ptr<IteratorResource>> iterators_;
  uint64_t count_ = 0;
};

Result<std::shared_ptr<IteratorResource>> iterator_input(const Launch& launch, int index) {
  auto iterator = resource_input<IteratorResource>(launch, index);
  if (!iterator) return iterator.status();
  return (*iterator)->shared_from_this();
}

/// The function that makes the dataset of the one-shot iterator which that input is; null for
/// another iterator.
Result<data::SharedFunction> factory_of(
    const Node& node, int input, const Graph& graph, Device& device) {
  const auto* handle = &graph.node(node.inputs[static_cast<size_t>(input)].node);
  while (!handle->op->makes_resource_handle() && !handle->inputs.empty())
    handle = &graph.node(handle->inputs[0].node);
  if (handle->op->name() != "OneShotIterator") return data::SharedFunction();
  auto function = data::DatasetFunction::compile(
      handle->attr<FunctionRef>("dataset_factory"), node, graph, device);
  if (!function) return function;
  auto status = (*function)->check_arguments({}, {});
  if (status.ok()) status = (*function)->check_results({DType::variant});
  if (!status.ok()) return status;
  return function;
}

Status begin_iterator(Launch& launch) {
  auto dataset = dataset_input(launch, 0);
  if (!dataset) return dataset.status();
  auto iterator = iterator_input(launch, 1);
  if (!iterator) return iterator.status();
  return (*iterator)->begin(*dataset, launch.device());
}

/// Checks an element that was pulled, and has it put back where the step does not end as it should.
Status take_element(
    Launch& launch, const ElementAttrs& attrs, const data::Element& element,
    const std::weak_ptr<IteratorResource>& from, const IteratorResource::Place& place) {
  auto status = data::check_element(element, attrs.dtypes, attrs.shapes);
  if (!status.ok()) return status;
  auto put_back = [from, place, element] {
    if (auto iterator = from.lock()) iterator->put_back(place, element);
  };
  auto await_return = [from]() -> std::shared_ptr<void> {
    auto iterator = from.lock();
    return iterator ? IteratorResource::await_return(std::move(iterator)) : nullptr;
  };
  put_back_unless_done(launch, bytes_of(element), std::move(put_back), std::move(await_return));
  return {};
}

/// Sets the outputs to the components of the element.
Status set_components(Launch& launch, std::optional<data::Element> element) {
  if (!element) return Status(Code::out_of_range, "End of sequence");
  for (size_t i = 0; i < element->size(); ++i)
    launch.set(static_cast<int>(i), std::move((*element)[i]));
  return {};
}

Status set_optional(Launch& launch, std::optional<data::Element> element) {
  launch.set(0, data::optional_tensor(std::move(element)));
  return {};
}

/// Sets the outputs to an element, or to the end of the dataset.
using SetElement = Status (*)(Launch&, std::optional<data::Element>);

/// Sets the outputs to the next element of an iterator.
void get_next(
    Launch& launch, const std::shared_ptr<IteratorResource>& iterator,
    const std::shared_ptr<const ElementAttrs>& attrs, SetElement set, Kernel::Done done) {
  auto take = [=, &launch, from = std::weak_ptr(iterator), done = std::move(done)](
                  Pulled pulled, const IteratorResource::Place& place) {
    auto status = pulled.status();
    if (pulled.ok() && pulled->has_value())
      status = take_element(launch, *attrs, **pulled, from, place);
    done(status.ok() ? set(launch, *std::move(pulled)) : status);
  };
  auto ticket = iterator->get_next(launch.device(), std::move(take));
  launch.on_cancel([iterator, ticket] { iterator->cancel(ticket); });
}

KernelCatalog::MakeLinked make_get_next(SetElement set) {
  return [set](const Node& node, const Graph& graph, Device& device) -> Result<Kernel> {
    auto factory = factory_of(node, 0, graph, device);
    if (!factory) return factory.status();
    Kernel kernel;
    kernel.start = [set, attrs = std::make_shared<const ElementAttrs>(node),
                    factory = *std::move(factory)](Launch& launch, Kernel::Done done) {
      auto iterator = iterator_input(launch, 0);
      if (!iterator) return done(iterator.status());
      if (factory) (*iterator)->begin_later(factory);
      get_next(launch, *iterator, attrs, set, std::move(done));
    };
    kernel.awaits = "the next element of an iterator";
    return kernel;
  };
}

/// Inputs: the dataset, the iterators, max_buffer_size.
Status begin_multi_device_iterator(Launch& launch) {
  auto dataset = dataset_input(launch, 0);
  if (!dataset) return dataset.status();
  auto iterator = resource_input<MultiDeviceIterator>(launch, 1);
  if (!iterator) return iterator.status();
  auto buffer_size = number_input(launch, 2, "max_buffer_size");
  if (!buffer_size) return buffer_size.status();
  if (*buffer_size <= 0) return invalid_argument("max_buffer_size must be greater than zero");
  auto beginning = (*iterator)->begin(*dataset, launch.device(), static_cast<size_t>(*buffer_size));
  if (beginning) launch.set(0, Tensor::scalar(*beginning));
  return beginning.status();
}

/// The iterator that the inputs say: those of all devices, the number of one, and the beginning.
Result<std::shared_ptr<IteratorResource>> shard_input(const Launch& launch) {
  auto iterators = resource_input<MultiDeviceIterator>(launch, 0);
  if (!iterators) return iterators.status();
  auto index = number_input(launch, 1, "shard_num");
  if (!index) return index.status();
  auto beginning = number_input(launch, 2, "incarnation_id");
  if (!beginning) return beginning.status();
  return (*iterators)->iterator(*index, *beginning);
}

Result<Kernel> make_get_next_from_shard(const Node& node) {
  Kernel kernel;
  kernel.start = [attrs = std::make_shared<const ElementAttrs>(node)](
                     Launch& launch, Kernel::Done done) {
    auto iterator = shard_input(launch);
    if (!iterator) return done(iterator.status());
    get_next(launch, *iterator, attrs, set_components, std::move(done));
  };
  kernel.awaits = "the next element of an iterator";
  return kernel;
}

/// A kernel that uses an iterator, which is input 0.
template <class Use>
KernelCatalog::MakeLinked make_use(const Use& use) {
  return [use](const Node& node, const Graph& graph, Device& device) -> Result<Kernel> {
    auto factory = factory_of(node, 0, graph, device);
    if (!factory) return factory.status();
    return Kernel{.compute = [use, factory = *std::move(factory)](Launch& launch) -> Status {
      auto iterator = iterator_input(launch, 0);
      if (!iterator) return iterator.status();
      if (factory) (*iterator)->begin_later(factory);
      return use(launch, *iterator);
    }};
  };
}

KernelCatalog::MakeLinked make_to_string(const std::shared_ptr<IteratorTexts>& texts) {
  return make_use([texts](Launch& launch, const std::shared_ptr<IteratorResource>& iterator) {
    const auto& name = launch.input(0).value<ResourceHandle>().name;
    launch.set(0, Tensor::string(texts->text_of(iterator, name)));
    return Status();
  });
}

Status serialize_state(Launch& launch, const std::shared_ptr<IteratorResource>& iterator) {
  auto state = iterator->serialize_state();
  if (state) launch.set(0, Tensor::string(*state));
  return state.status();
}

Status restore_state(Launch& launch, const std::shared_ptr<IteratorResource>& iterator) {
  auto state = scalar_input<std::string>(launch.input(1), "state");
  if (!state) return state.status();
  return iterator->restore_state(*state, launch.device());
}

KernelCatalog::Make make_from_string(const std::shared_ptr<IteratorTexts>& texts) {
  return [texts](const Node& node) -> Result<Kernel> {
    auto dtypes = node.attr<DTypes>("output_types");
    auto shapes = node.attr<Shapes>("output_shapes");
    return Kernel{.compute = [=](Launch& launch) -> Status {
      const auto& text = launch.input(0);
      if (!text.shape().is_scalar()) return invalid_argument("string_handle must be a scalar");
      auto iterator = texts->find(text.value<std::string>());
      if (!iterator) return iterator.status();
      if (!dtypes.empty()) {
        auto status =
            data::check_components((*iterator)->dtypes(), (*iterator)->shapes(), dtypes, shapes);
        if (!status.ok()) return status;
      }
      launch.set(
          0, Tensor::scalar(ResourceHandle{
                 .container = "", .name = text.value<std::string>(), .resource = *iterator}));
      return {};
    }};
  };
}

}  // namespace

void add_iterators_kernels(KernelCatalog& catalog) {
  catalog.add_compute("MakeIterator", begin_iterator);
  catalog.add_compute("MultiDeviceIteratorInit", begin_multi_device_iterator);
  catalog.add("MultiDeviceIteratorGetNextFromShard", make_get_next_from_shard);
  catalog.add_linked("IteratorGetNext", make_get_next(set_components));
  catalog.add_linked("IteratorGetNextSync", make_get_next(set_components));
  catalog.add_linked("IteratorGetNextAsOptional", make_get_next(set_optional));
  auto texts = std::make_shared<IteratorTexts>();
  catalog.add_linked("IteratorToStringHandle", make_to_string(texts));
  catalog.add_linked("IteratorSerializeState", make_use(serialize_state));
  catalog.add_linked("IteratorRestoreState", make_use(restore_state));
  catalog.add("IteratorFromStringHandle", make_from_string(texts));
  catalog.add("IteratorFromStringHandleV2", make_from_string(texts));
  add_optionals_kernels(catalog);
}

}  // namespace troupe::cpu
