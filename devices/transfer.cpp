#include "troupe/devices/transfer.hpp"

#include "troupe/devices/accelerator/filling_memory.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/devices/step_port.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

/// Fails unless a tensor from outside is what the graph was checked with.
Status check(const Tensor& tensor, DType dtype, const Shape& shape) {
  if (tensor.dtype() != dtype)
    return invalid_argument(
        std::string("expected ") + to_string(dtype) + ", but was given " +
        to_string(tensor.dtype()));
  if (!tensor.shape().is_compatible_with(shape))
    return invalid_argument(
        "expected the shape " + shape.to_string() + ", but was given " +
        tensor.shape().to_string());
  return {};
}

/// Whether two devices are of one task, and so of one process: a tensor then goes from one to the
/// other in whatever memory it lies.
bool is_within_task(const std::string& from, const std::string& to) {
  auto a = DeviceName::parse(from), b = DeviceName::parse(to);
  return a && b && a->is_full() && b->is_full() && a->job == b->job && a->task == b->task;
}

Result<Kernel> make_arg(const Node& node) {
  auto index = static_cast<int>(node.attr<int64_t>("index"));
  auto dtype = node.attr<DType>("T");
  // Of a handle, which is a scalar, the attribute is the shape of the variable.
  auto shape = dtype == DType::resource ? Shape() : node.attr<Shape>("shape");
  return Kernel{
      .compute =
          [=](Launch& launch) {
            auto tensor = launch.port().feed(index);
            auto status = check(tensor, dtype, shape);
            if (status.ok()) launch.set(0, std::move(tensor));
            return status;
          },
      .host_outputs = {0}};
}

Result<Kernel> make_retval(const Node& node) {
  auto index = static_cast<int>(node.attr<int64_t>("index"));
  return Kernel{
      .compute = [=](Launch& launch) -> Status {
        if (!launch.input(0).is_set())
          return invalid_argument("the fetch is dead: a Switch chose the other branch");
        launch.port().fetch(index, launch.take_input(0));
        return {};
      },
      .host_inputs = {0},
      .takes_dead = true};
}

/// A variant is a value of this process, and there is no form of it in messages.
Status refuse_variant(const Tensor& tensor, const std::string& device) {
  return unimplemented(
      tensor.to_string() + " cannot be sent to " + device +
      ": variants stay in their process; place what uses it on its task");
}

/// Sends a copy in the host's memory: while it is made, where the device can and the port lends
/// that.
void send_copy(Launch& launch, const EdgeKey& key, const Tensor& value, const Kernel::Done& done) {
  auto& source = *device_of(value);
  auto sent = std::make_shared<std::optional<Status>>();
  auto send_filling = [&launch, key, sent](const Tensor& copy) {
    if (launch.port().lends(key, copy)) *sent = launch.port().send(key, copy);
  };
  auto send_whole = [&launch, key, sent, done](Result<Tensor> copy) {
    if (!copy) return done(copy.status());
    done(*sent ? **sent : launch.port().send(key, *std::move(copy)));
  };
  if (auto* in_pieces = dynamic_cast<accelerator::CopiesInPieces*>(&source))
    in_pieces->copy_to_host_in_pieces(value, send_filling, send_whole);
  else source.copy_to_host(value, send_whole);
}

/// Sends a value of such a device to one of another task: to one that has own memory, too, as it
/// lies in the memory of this one, where the port lends that, once the work that writes it is done;
/// else by way of the host's memory.
void send_from_memory(
    Launch& launch, const EdgeKey& key, bool to_own_memory, const Kernel::Done& done) {
  auto value = launch.take_input(0);
  auto* source = value.is_set() ? device_of(value) : nullptr;
  if (!source) return done(launch.port().send(key, std::move(value)));
  if (to_own_memory && launch.port().lends(key, value))
    return source->stream()->when_done([&launch, key, value, done](const Status& status) {
      done(status.ok() ? launch.port().send(key, value) : status);
    });
  send_copy(launch, key, value, done);
}

Result<Kernel> make_send(const Node& node) {
  auto device = node.attr<std::string>("to_device");
  auto dtype = node.attr<DType>("T");
  auto leaves_task = !is_within_task(node.device, device);
  auto is_refused = dtype == DType::variant && leaves_task;
  if (leaves_task && has_own_memory(node.device) && is_plain(dtype))
    return Kernel{
        .start =
            [edge = node.attr<int64_t>("edge"), to_own_memory = has_own_memory(device)](
                Launch& launch, Kernel::Done done) {
              send_from_memory(launch, {edge, launch.at()}, to_own_memory, done);
            },
        .awaits = "the work of the device whose result it sends",
        .takes_any_memory = true,
        .takes_dead = true};
  Kernel kernel{.compute = [=, edge = node.attr<int64_t>("edge")](Launch& launch) {
    if (is_refused && launch.input(0).is_set()) return refuse_variant(launch.input(0), device);
    return launch.port().send({edge, launch.at()}, launch.take_input(0));
  }};
  kernel.takes_dead = true;
  if (leaves_task) kernel.host_inputs = {0};
  else kernel.takes_any_memory = true;
  return kernel;
}

/// A value from another device, on its way into the memory of this one.
class Receive {
 public:
  Receive(EdgeId edge, DType dtype) : edge_(edge), dtype_(dtype) {}

  /// Nothing where it has to be waited for.
  std::optional<Status> try_now(Launch& launch) const {
    if (launch.device().stream()) return {};
    auto value = launch.port().try_receive({edge_, launch.at()});
    if (!value) return {};
    return set(launch, *std::move(value));
  }

  void start(Launch& launch, Kernel::Done done) const {
    launch.port().receive(
        {edge_, launch.at()}, [this, &launch, done = std::move(done)](Result<Tensor> value) {
          take(launch, std::move(value), std::move(done));
        });
  }

 private:
  /// Takes the value into the memory of the launch's device.
  void take(Launch& launch, Result<Tensor> value, Kernel::Done done) const {
    auto& device = launch.device();
    auto* source = value && value->is_set() ? device_of(*value) : nullptr;
    auto set_copy = [this, &launch, done](Result<Tensor> copy) {
      done(set(launch, std::move(copy)));
    };
    if (source && !device.stream()) return source->copy_to_host(*value, set_copy);
    // What another process lends to this device is not in its memory, either.
    auto is_elsewhere = value && value->is_set() && device.stream() && is_plain(value->dtype()) &&
                        value->allocator() != &device.allocator();
    if (is_elsewhere && device.is_long_copy(*value)) return device.copy_in_async(*value, set_copy);
    if (is_elsewhere) value = device.copy_in(*value);
    done(set(launch, std::move(value)));
  }

  Status set(Launch& launch, Result<Tensor> value) const {
    if (!value) return value.status();
    if (!value->is_set()) return {};  // dead
    auto status = check(*value, dtype_, Shape::unknown_rank());
    if (status.ok()) launch.set(0, *std::move(value));
    return status;
  }

  EdgeId edge_;
  DType dtype_;
};

Result<Kernel> make_recv(const Node& node) {
  auto receive =
      std::make_shared<Receive>(node.attr<int64_t>("edge"), node.attr<DType>("tensor_type"));
  return Kernel{
      .start = [receive](Launch& launch, Kernel::Done done) { receive->start(launch, done); },
      .try_now = [receive](Launch& launch) { return receive->try_now(launch); },
      .awaits = "'" + node.attr<std::string>("tensor_name") + "'",
      .awaits_from = node.attr<std::string>("from_device"),
      .takes_dead = true};  // in an iteration that does not run, a dead value comes
}

}  // namespace

bool has_own_memory(const std::string& device) {
  auto name = DeviceName::parse(device);
  return name && name->type && *name->type != "CPU";
}

void add_transfer_kernels(KernelCatalog& catalog) {
  catalog.add(transfer::arg, make_arg);
  catalog.add(transfer::retval, make_retval);
  catalog.add(transfer::send, make_send);
  catalog.add(transfer::recv, make_recv);
}

}  // namespace troupe
