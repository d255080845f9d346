#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <mutex>

#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/convert.hpp"
#include "troupe/devices/cpu/checkpoint/checkpoint_reader.hpp"

namespace troupe::python {
namespace {

/// A checkpoint that threads of a program may share.
struct OpenCheckpoint {
  std::mutex mutex;
  cpu::CheckpointReader reader;
};

std::unique_ptr<OpenCheckpoint> open_checkpoint(const std::string& prefix) {
  auto reader = take(without_gil([&] { return cpu::CheckpointReader::open(prefix); }));
  return std::unique_ptr<OpenCheckpoint>(new OpenCheckpoint{{}, std::move(reader)});
}

/// (name, number of the dtype, shape) of each tensor.
nb::list list(OpenCheckpoint& checkpoint) {
  auto listed = take(without_gil([&] {
    std::lock_guard lock(checkpoint.mutex);
    return checkpoint.reader.list();
  }));
  nb::list entries;
  for (const auto& each : listed)
    entries.append(nb::make_tuple(each.name, static_cast<int>(each.dtype), to_python(each.shape)));
  return entries;
}

nb::object read(OpenCheckpoint& checkpoint, const std::string& name) {
  auto value = take(without_gil([&]() -> Result<Tensor> {
    std::lock_guard lock(checkpoint.mutex);
    auto source = checkpoint.reader.find(name);
    if (!source) return source.status();
    return checkpoint.reader.read(*source, "", heap_allocator());
  }));
  return to_python(Tensors{std::move(value)}, /*are_exclusive=*/true)[0];
}

}  // namespace

void bind_checkpoint(nb::module_& module) {
  nb::class_<OpenCheckpoint>(module, "OpenCheckpoint")
      .def("list", &list)
      .def("read", &read, nb::arg("name"));
  module.def("open_checkpoint", &open_checkpoint, nb::arg("prefix"));
}

}  // namespace troupe::python
