#include "troupe/tests/devices/reference/recorded_call.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe::testing {
namespace {

using nlohmann::json;

template <class T>
T number_of(const json& from) {
  if (!from.is_string()) return static_cast<T>(from.get<double>());
  auto text = from.get<std::string>();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (text == "nan") return static_cast<T>(std::numeric_limits<double>::quiet_NaN());
  return static_cast<T>(text == "inf" ? infinity : -infinity);
}

/// Its bytes: each is written as a character of that number.
std::string bytes_of(const json& from) {
  std::string bytes;
  auto text = from.get<std::string>();
  for (size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0xc0 && i + 1 < text.size())
      byte = static_cast<unsigned char>((byte & 3) << 6 | (text[++i] & 0x3f));
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

template <class T>
T element_of(const json& from) {
  if constexpr (std::is_same_v<T, std::string>) return bytes_of(from);
  else if constexpr (std::is_same_v<T, bool>) return from.get<bool>();
  else if constexpr (std::is_integral_v<T>) return from.get<T>();
  else if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>)
    return T(
        number_of<typename T::value_type>(from[0]), number_of<typename T::value_type>(from[1]));
  else return number_of<T>(from);
}

Tensor tensor_of(const json& from) {
  auto dtype = parse_dtype(from.at("dtype").get<std::string>());
  BOOST_REQUIRE(dtype);
  auto tensor =
      *Tensor::allocate(*dtype, *Shape::make(from.at("shape").get<std::vector<int64_t>>()));
  const auto& values = from.at("values");
  BOOST_REQUIRE(static_cast<int64_t>(values.size()) == tensor.elements());
  using Types = decltype(cpu::AllPlain{} + cpu::Types<std::string>{});
  cpu::for_dtype(Types{}, *dtype, [&](auto zero) {
    using T = decltype(zero);
    std::ranges::transform(values, tensor.mutable_data<T>(), element_of<T>);
  });
  return tensor;
}

Tensors tensors_of(const json& from) {
  Tensors tensors;
  for (const auto& tensor : from) tensors.push_back(tensor_of(tensor));
  return tensors;
}

template <class T, class F>
std::vector<T> list_of(const json& from, F convert) {
  std::vector<T> list;
  for (const auto& value : from) list.push_back(convert(value));
  return list;
}

DType dtype_attr(const json& from) { return parse_dtype(from.get<std::string>()).value(); }

Shape shape_attr(const json& from) {
  return from.is_null() ? Shape::unknown_rank() : *Shape::make(from.get<std::vector<int64_t>>());
}

AttrValue attr_of(AttrType type, const json& from) {
  switch (type) {
    case AttrType::integer: return from.get<int64_t>();
    case AttrType::real: return number_of<float>(from);
    case AttrType::boolean: return from.get<bool>();
    case AttrType::string: return bytes_of(from);
    case AttrType::dtype: return dtype_attr(from);
    case AttrType::shape: return shape_attr(from);
    case AttrType::tensor: return tensor_of(from);
    case AttrType::integers: return from.get<std::vector<int64_t>>();
    case AttrType::reals: return list_of<float>(from, number_of<float>);
    case AttrType::strings: return list_of<std::string>(from, bytes_of);
    case AttrType::dtypes: return list_of<DType>(from, dtype_attr);
    case AttrType::shapes: return list_of<Shape>(from, shape_attr);
    default: break;
  }
  throw std::invalid_argument("an attribute of a type that no recorded call has");
}

RecordedCall call_of(const json& from, const OpCatalog& catalog) {
  RecordedCall call{.op = from.at("op").get<std::string>()};
  auto op = catalog.find(call.op);
  if (!op) throw std::invalid_argument(op.status().message());
  const auto attrs = from.value("attrs", json::object());  // which the items refer to
  for (const auto& [name, value] : attrs.items()) {
    const auto* rule = (*op)->find_attr(name);
    if (!rule) throw std::invalid_argument(call.op + " has no attribute " + name);
    call.attrs[name] = attr_of(rule->type, value);
  }
  call.variables = tensors_of(from.value("variables", json::array()));
  call.updated = tensors_of(from.value("updated", json::array()));
  call.inputs = tensors_of(from.at("inputs"));
  call.outputs = tensors_of(from.value("outputs", json::array()));
  call.error = from.value("error", "");
  call.says = from.value("says", "");
  if (from.contains("gradient")) call.gradient = from["gradient"].get<std::vector<size_t>>();
  if (from.contains("tolerance")) call.tolerance = from["tolerance"].get<double>();
  call.has_known_shape = from.value("known_shape", true);
  return call;
}

void read_calls(
    const std::filesystem::path& path, const OpCatalog& catalog, std::vector<RecordedCall>& calls) {
  std::ifstream file(path);
  int number = 0;
  auto where = path.filename().string();
  try {
    for (const auto& each : json::parse(file)) {
      where = path.filename().string() + ", call " + std::to_string(++number);
      calls.push_back(call_of(each, catalog));
      calls.back().where = where + " (" + calls.back().op + ")";
    }
  } catch (const std::exception& error) {
    BOOST_FAIL(where << ": " << error.what());
  }
}

/// That of the sources, or where there are none that of a bundle of programs.
std::filesystem::path folder_of_calls() {
  std::filesystem::path of_sources = TROUPE_REFERENCE "/calls";
  std::error_code error;
  if (std::filesystem::exists(of_sources, error)) return of_sources;
  auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return program.parent_path().parent_path() / "share/troupe/calls";
}

}  // namespace

std::set<size_t> RecordedCall::differentiated() const {
  std::set<size_t> result;
  if (!succeeds() || !variables.empty()) return result;
  if (gradient) return {gradient->begin(), gradient->end()};
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].dtype() == DType::float64) result.insert(i);
  return result;
}

const std::vector<RecordedCall>& recorded_calls() {
  static const auto calls = [] {
    std::vector<RecordedCall> read;
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_of_calls()))
      if (entry.path().extension() == ".json") paths.push_back(entry.path());
    std::ranges::sort(paths);
    auto catalog = op_catalog();
    for (const auto& path : paths) read_calls(path, *catalog, read);
    BOOST_REQUIRE(!read.empty());
    return read;
  }();
  return calls;
}

}  // namespace troupe::testing
