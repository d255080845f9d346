#include "troupe/capnp/python/native/sessions.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "troupe/capnp/client/client.hpp"

namespace troupe::python {
namespace {

using std::chrono::milliseconds;

// The longest delay until a signal is handled.
constexpr milliseconds signal_poll_period{50};

template <class T>
T option(nb::dict options, const char* name, T fallback) {
  return options.contains(name) ? nb::cast<T>(options[name]) : fallback;
}

milliseconds time_option(nb::dict options, const char* name, milliseconds fallback) {
  return milliseconds(option<int64_t>(options, name, fallback.count()));
}

SessionOptions to_session_options(nb::dict options) {
  return {
      .operation_timeout = time_option(options, "operation_timeout_ms", milliseconds(0)),
      .log_device_placement = option(options, "log_device_placement", false),
      .device_filters = option<std::vector<std::string>>(options, "device_filters", {}),
      .isolate_state = option(options, "isolate_state", false),
      .fuses_elementwise = option(options, "fuses_elementwise", true),
      .optimizes = option(options, "optimizes", true),
      .disabled_passes = option<std::vector<std::string>>(options, "disabled_passes", {}),
      .mixes_precision = option(options, "mixes_precision", false),
      .soft_placement = option(options, "soft_placement", false),
      .placement = option<std::string>(options, "placement", ""),
      .threads = option(options, "threads", 0),
      .memory_limit = option<uint64_t>(options, "memory_limit", 0)};
}

}  // namespace

std::string program_name() {
  auto arguments = nb::cast<nb::list>(import_module("sys").attr("argv"));
  auto script = arguments.size() > 0 ? nb::cast<std::string>(nb::str(arguments[0])) : "";
  return script == "-c" || script == "-m" ? "" : script.substr(script.rfind('/') + 1);
}

nb::tuple to_tuple(const ListedDevice& device) {
  const auto& about = device.attributes;
  return nb::make_tuple(device.name, about.type, about.memory_limit, device.incarnation);
}

void log_warning(const std::string& text) {
  GilAcquire gil;
  auto logger = call_object(import_module("logging").attr("getLogger"), "troupe");
  call_object(logger.attr("warning"), "%s", text);
}

Result<std::shared_ptr<OpenSession>> open(const Target& target) {
  if (target.simulated) {
    auto session = target.simulated->open_session(target.address, target.options);
    if (!session) return session.status();
    return std::make_shared<OpenSession>(*std::move(session), /*is_remote=*/false);
  }
  if (target.address.empty()) {
    auto cluster = std::make_unique<LocalCluster>(
        std::map<std::string, int>{{"localhost", 1}}, LocalCluster::Options{
                                                          .threads = target.options.threads,
                                                          .cpu_devices = target.cpu_devices,
                                                          .gpu = target.gpu});
    // The session creates its server, so the number of threads is set there and not ignored.
    auto options = target.options;
    options.threads = 0;
    auto session = cluster->session("localhost", 0, options);
    if (!session) return session.status();
    return std::make_shared<OpenSession>(std::move(cluster), *std::move(session));
  }
  auto client = Client::connect(
      target.address, {.timeout = target.connect_timeout,
                       .on_wait = &log_warning,
                       .program = target.program,
                       .shares_connection = true});
  if (!client) return client.status();
  auto session = (*client)->session(target.options);
  if (!session) return session.status();
  return std::make_shared<OpenSession>(*std::move(session), /*is_remote=*/true);
}

Result<Tensors> wait_interruptibly(PendingStep& step) {
  if (!is_main_thread()) return step.wait();
  while (!step.wait_for(signal_poll_period)) {
    GilAcquire gil;
    if (PyErr_CheckSignals() == 0) continue;
    nb::python_error raised;
    {
      GilRelease gil_release;
      step.cancel();
    }
    throw raised;
  }
  return step.wait();
}

GpuOptions to_gpu_options(nb::dict options) {
  return {
      .cards = option<std::vector<int>>(options, "gpus", {}),
      .memory_fraction = option(options, "gpu_memory_fraction", 0.0),
      .reserves_memory = option(options, "gpu_reserves_memory", false),
      .captures_graphs = option(options, "gpu_captures_graphs", true)};
}

Target to_target(nb::dict options) {
  return {
      .address = option<std::string>(options, "target", ""),
      .simulated = option<std::shared_ptr<SimulatedCluster>>(options, "simulated", nullptr),
      .options = to_session_options(options),
      .connect_timeout = time_option(options, "connect_timeout_ms", milliseconds(10000)),
      .cpu_devices = option(options, "cpu_devices", 1),
      .gpu = option(options, "uses_gpus", false) ? std::optional(to_gpu_options(options))
                                                 : std::nullopt,
      .program = program_name()};
}

RunOptions to_run_options(nb::dict options) {
  return {
      .timeout = time_option(options, "timeout_ms", milliseconds(0)),
      .trace = option(options, "trace", false) ? Trace::full : Trace::none,
      .output_partition_graphs = option(options, "output_partition_graphs", false)};
}

}  // namespace troupe::python
