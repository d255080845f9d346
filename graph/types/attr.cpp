#include "troupe/graph/types/attr.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <sstream>

namespace troupe {
namespace {

template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) return '"' + value + '"';
  else if constexpr (std::is_same_v<T, bool>) return value ? "true" : "false";
  else if constexpr (std::is_same_v<T, DType>) return to_string(value);
  else if constexpr (requires { value.to_string(); }) return value.to_string();
  else return (std::ostringstream() << value).str();
}

template <class T>
std::string text_of(const std::vector<T>& values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) text += (i ? ", " : "") + text_of<T>(values[i]);
  return text + "]";
}

bool same(float a, float b) { return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b); }

bool same(const Tensor& a, const Tensor& b) {
  if (!a.is_set() || !b.is_set()) return a.is_set() == b.is_set();
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (is_plain(a.dtype())) return std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
  return equal(a, b);
}

template <class T>
bool same(const T& a, const T& b) {
  return a == b;
}

template <>
bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return std::ranges::equal(a, b, [](float x, float y) { return same(x, y); });
}

}  // namespace

FunctionRef::FunctionRef(std::string name, const Attrs& attrs) : name_(std::move(name)) {
  if (!attrs.empty()) attrs_ = std::make_shared<const Attrs>(attrs);
}

const Attrs& FunctionRef::attrs() const {
  static const Attrs none;
  return attrs_ ? *attrs_ : none;
}

std::string FunctionRef::to_string() const {
  if (attrs().empty()) return name_;
  std::string text;
  for (const auto& [name, value] : attrs())
    text += (text.empty() ? "[" : ", ") + name + "=" + value.to_string();
  return name_ + text + "]";
}

bool FunctionRef::operator==(const FunctionRef& other) const {
  return name_ == other.name_ && attrs() == other.attrs();
}

const char* to_string(AttrType type) {
  static constexpr const char* names[] = {
      "int",        "float",       "bool",      "string",      "type",
      "shape",      "tensor",      "list(int)", "list(float)", "list(string)",
      "list(type)", "list(shape)", "func",      "list(func)"};
  return names[static_cast<size_t>(type)];
}

std::string AttrValue::to_string() const {
  return std::visit([](const auto& value) { return text_of(value); }, value_);
}

int AttrValue::function_nesting() const {
  int deepest = 0;
  for (const auto& function : functions_in(*this)) {
    int inside = 0;
    for (const auto& [name, value] : function.attrs())
      inside = std::max(inside, value.function_nesting());
    deepest = std::max(deepest, 1 + inside);
  }
  return deepest;
}

bool AttrValue::operator==(const AttrValue& other) const {
  if (value_.index() != other.value_.index()) return false;
  return std::visit(
      [&](const auto& value) { return same(value, *other.get<std::decay_t<decltype(value)>>()); },
      value_);
}

FunctionRefs functions_in(const AttrValue& value) {
  if (auto* function = value.get<FunctionRef>()) return {*function};
  if (auto* functions = value.get<FunctionRefs>()) return *functions;
  return {};
}

}  // namespace troupe
