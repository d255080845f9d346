#include <nanobind/nanobind.h>

#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/convert.hpp"
#include "troupe/capnp/python/native/function_threads.hpp"
#include "troupe/devices/op_library.hpp"

namespace troupe::python {
namespace {

using SharedThreads = std::shared_ptr<FunctionThreads>;

Kernel make_function_kernel(const Node& node, const SharedThreads& threads) {
  auto token = node.attr<std::string>("token");
  auto outputs = node.attr<DTypes>("Tout");
  Kernel kernel;
  kernel.start = [=](Launch& launch, Kernel::Done done) {
    auto call = std::make_shared<FunctionCall>(token, outputs, launch, std::move(done));
    launch.on_cancel([call] { call->end(cancelled("nothing waits for the function any more")); });
    if (auto status = threads->add(call); !status.ok()) call->end(std::move(status));
  };
  kernel.awaits = "the Python function '" + token + "'";
  return kernel;
}

}  // namespace

void bind_functions(nb::module_& module) {
  auto threads = std::make_shared<FunctionThreads>();
  KernelCatalog kernels;
  for (const auto* op : {"PyFunc", "PyFuncStateless"})
    kernels.add(op, [threads](const Node& node) -> Result<Kernel> {
      return make_function_kernel(node, threads);
    });
  check(loaded_kernels::add(kernels));
  module.def("stop_functions", [threads] { without_gil([&] { threads->stop(); }); });
}

}  // namespace troupe::python
