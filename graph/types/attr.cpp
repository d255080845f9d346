#include "troupe/graph/types/attr.hpp"

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

}  // namespace

const char* to_string(AttrType type) {
  static constexpr const char* names[] = {
      "int",    "float",     "bool",        "string",       "type",       "shape",
      "tensor", "list(int)", "list(float)", "list(string)", "list(type)", "list(shape)"};
  return names[static_cast<size_t>(type)];
}

std::string AttrValue::to_string() const {
  return std::visit([](const auto& value) { return text_of(value); }, value_);
}

}  // namespace troupe
