#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstring>

#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/convert.hpp"

namespace troupe::python {
namespace {

// Up to that, a copy costs no more than the care for shared memory.
constexpr size_t copied_bytes_max = size_t{16} << 10;

/// A view of an object's memory in C order.
class View {
 public:
  explicit View(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_ND | PyBUF_C_CONTIGUOUS) != 0)
      throw nb::python_error();
  }
  ~View() { PyBuffer_Release(&buffer_); }
  View(const View&) = delete;

  void* data() const { return buffer_.buf; }
  size_t bytes() const { return static_cast<size_t>(buffer_.len); }
  Shape shape() const {
    std::vector<int64_t> sizes(buffer_.shape, buffer_.shape + buffer_.ndim);
    return take(Shape::make(sizes));
  }

 private:
  Py_buffer buffer_;
};

Tensor copy_of(DType dtype, const Shape& shape, const void* from) {
  auto tensor = take(Tensor::allocate(dtype, shape));
  if (tensor.bytes() > 0) std::memcpy(tensor.mutable_raw(), from, tensor.bytes());
  return tensor;
}

/// The buffer protocol: what NumPy makes an array of without a copy.
int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  auto* held = nb::inst_ptr<Held>(self);
  if (!is_plain(held->tensor.dtype())) {
    PyErr_SetString(PyExc_BufferError, "strings have no buffer");
    return -1;
  }
  auto bytes = static_cast<Py_ssize_t>(held->tensor.bytes());
  auto* data = const_cast<void*>(held->tensor.raw());
  return PyBuffer_FillInfo(view, self, data, bytes, held->is_writable ? 0 : 1, flags);
}

PyType_Slot held_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};

nb::list strings_of(const Held& held) {
  nb::list strings;
  for (const auto& string : held.tensor.values<std::string>())
    strings.append(nb::bytes(string.data(), string.size()));
  return strings;
}

Held held_of(Tensor tensor, bool is_ours) {
  if (!is_plain(tensor.dtype())) return {std::move(tensor), false};
  if (is_ours || tensor.is_sole_owner()) return {std::move(tensor), true};
  if (tensor.bytes() <= copied_bytes_max)
    return {copy_of(tensor.dtype(), tensor.shape(), tensor.raw()), true};
  return {std::move(tensor), false};
}

}  // namespace

Tensor to_tensor(nb::handle array, DType dtype, const FeedRules& rules) {
  View view(array);
  auto shape = view.shape();
  if (view.bytes() != static_cast<size_t>(shape.elements()) * size_of(dtype))
    raise(invalid_argument("an array to feed does not have the dtype that is fed"));
  auto is_aligned = reinterpret_cast<uintptr_t>(view.data()) % size_of(dtype) == 0;
  if (!rules.may_alias || !is_aligned || view.bytes() <= copied_bytes_max)
    return copy_of(dtype, shape, view.data());
  auto release = [released = rules.released, owner = array.inc_ref().ptr()] {
    released->add(owner);
  };
  return Tensor::alias(dtype, shape, view.data(), std::move(release));
}

Tensor to_strings(nb::handle strings, const Shape& shape) {
  auto tensor = take(Tensor::allocate(DType::string, shape));
  auto* element = tensor.mutable_data<std::string>();
  for (auto string : strings) {
    auto bytes = nb::cast<nb::bytes>(string);
    (element++)->assign(bytes.c_str(), bytes.size());
  }
  return tensor;
}

std::vector<Feed> to_feeds(nb::list feeds, const FeedRules& rules) {
  std::vector<Feed> converted;
  converted.reserve(feeds.size());
  for (auto feed : feeds) {
    auto name = nb::cast<std::string>(feed[0]);
    nb::object value = feed[1];
    if (nb::isinstance<Held>(value)) {
      converted.push_back({name, nb::cast<Held&>(value).tensor});
      continue;
    }
    auto dtype = to_dtype(nb::cast<int>(feed[2]));
    converted.push_back({name, to_tensor(value, dtype, rules)});
  }
  return converted;
}

Refs to_refs(nb::list names) {
  Refs refs;
  refs.reserve(names.size());
  for (auto name : names) refs.emplace_back(nb::cast<std::string>(name));
  return refs;
}

nb::list to_python(Tensors tensors, bool are_ours) {
  nb::list list;
  for (auto& tensor : tensors) list.append(nb::cast(held_of(std::move(tensor), are_ours)));
  return list;
}

void bind_tensor(nb::module_& module) {
  nb::class_<Held>(module, "Tensor", nb::type_slots(held_slots))
      .def_prop_ro("dtype", [](const Held& h) { return static_cast<int>(h.tensor.dtype()); })
      .def_prop_ro("shape", [](const Held& h) { return to_python(h.tensor.shape()); })
      .def_prop_ro("is_writable", [](const Held& h) { return h.is_writable; })
      .def("strings", &strings_of)
      .def("__repr__", [](const Held& h) { return h.tensor.to_string(); });
  module.def(
      "tensor",
      [](nb::handle array, int dtype) {
        return Held{to_tensor(array, to_dtype(dtype), {.may_alias = false, .released = {}}), false};
      },
      nb::arg("array"), nb::arg("dtype"));
  module.def(
      "strings",
      [](nb::list values, nb::handle shape) {
        return Held{to_strings(values, to_shape(shape)), false};
      },
      nb::arg("values"), nb::arg("shape").none());
}

}  // namespace troupe::python
