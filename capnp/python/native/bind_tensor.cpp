#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstring>

#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/convert.hpp"

namespace troupe::python {
namespace {

// Smaller tensors are copied, which costs no more than tracking shared memory.
constexpr size_t copied_bytes_max = size_t{16} << 10;

/// The buffer of a Python object, in C order.
class BufferView {
 public:
  explicit BufferView(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_ND | PyBUF_C_CONTIGUOUS) != 0)
      throw nb::python_error();
  }
  ~BufferView() { PyBuffer_Release(&buffer_); }
  BufferView(const BufferView&) = delete;

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

/// Implements the buffer protocol, so that NumPy arrays share the memory of tensors.
int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  auto* buffer = nb::inst_ptr<TensorBuffer>(self);
  if (!is_plain(buffer->tensor.dtype())) {
    PyErr_SetString(PyExc_BufferError, "strings have no buffer");
    return -1;
  }
  auto bytes = static_cast<Py_ssize_t>(buffer->tensor.bytes());
  auto* data = const_cast<void*>(buffer->tensor.raw());
  return PyBuffer_FillInfo(view, self, data, bytes, buffer->is_writable ? 0 : 1, flags);
}

PyType_Slot buffer_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};

nb::list strings_of(const TensorBuffer& buffer) {
  nb::list strings;
  for (const auto& string : buffer.tensor.values<std::string>())
    strings.append(nb::bytes(string.data(), string.size()));
  return strings;
}

TensorBuffer buffer_of(Tensor tensor, bool is_exclusive) {
  if (!is_plain(tensor.dtype())) return {std::move(tensor), false};
  if (is_exclusive || tensor.is_sole_owner()) return {std::move(tensor), true};
  // A part of another tensor would keep all of its memory.
  if (tensor.bytes() <= copied_bytes_max || !tensor.allocator())
    return {copy_of(tensor.dtype(), tensor.shape(), tensor.raw()), true};
  return {std::move(tensor), false};
}

}  // namespace

Tensor to_tensor(nb::handle array, DType dtype, const FeedRules& rules) {
  BufferView view(array);
  auto shape = view.shape();
  if (view.bytes() != static_cast<size_t>(shape.elements()) * size_of(dtype))
    raise(invalid_argument("a fed array does not have the dtype of the feed"));
  auto is_aligned = reinterpret_cast<uintptr_t>(view.data()) % size_of(dtype) == 0;
  if (!rules.may_alias || !is_aligned || view.bytes() <= copied_bytes_max)
    return copy_of(dtype, shape, view.data());
  auto release = [decrefs = rules.decrefs, owner = array.inc_ref().ptr()] { decrefs->add(owner); };
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
    if (nb::isinstance<TensorBuffer>(value)) {
      converted.push_back({name, nb::cast<TensorBuffer&>(value).tensor});
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

nb::list to_python(Tensors tensors, bool are_exclusive) {
  nb::list list;
  for (auto& tensor : tensors) list.append(nb::cast(buffer_of(std::move(tensor), are_exclusive)));
  return list;
}

void bind_tensor(nb::module_& module) {
  nb::class_<TensorBuffer>(module, "Tensor", nb::type_slots(buffer_slots))
      .def_prop_ro(
          "dtype", [](const TensorBuffer& h) { return static_cast<int>(h.tensor.dtype()); })
      .def_prop_ro("shape", [](const TensorBuffer& h) { return to_python(h.tensor.shape()); })
      .def_prop_ro("is_writable", [](const TensorBuffer& h) { return h.is_writable; })
      .def("strings", &strings_of)
      .def("__repr__", [](const TensorBuffer& h) { return h.tensor.to_string(); });
  module.def(
      "tensor",
      [](nb::handle array, int dtype) {
        return TensorBuffer{
            to_tensor(array, to_dtype(dtype), {.may_alias = false, .decrefs = {}}), false};
      },
      nb::arg("array"), nb::arg("dtype"));
  module.def(
      "strings",
      [](nb::list values, nb::handle shape) {
        return TensorBuffer{to_strings(values, to_shape(shape)), false};
      },
      nb::arg("values"), nb::arg("shape").none());
}

}  // namespace troupe::python
