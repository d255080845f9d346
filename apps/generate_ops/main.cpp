// Writes the C++ functions of all ops in the catalog: ops.hpp and ops.cpp, in the folder given.

#include <cctype>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "troupe/graph/op_signature.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace {

using namespace troupe;

constexpr size_t columns_max = 100;

/// As TensorFlow's Python functions: "conv2d_backprop_input" for Conv2DBackpropInput.
std::string snake_case(const std::string& name) {
  auto is_lower = [&](size_t i) { return i < name.size() && std::islower(name[i]); };
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    if (i > 0 && std::isupper(name[i]) && (is_lower(i - 1) || is_lower(i + 1))) text += '_';
    text += static_cast<char>(std::tolower(name[i]));
  }
  return text;
}

/// A name of C++ where `name` is a keyword, or one of the parameters that each function has.
std::string cpp_name(const std::string& name) {
  static const std::set<std::string> taken = {
      "and",         "assert",   "auto",     "bool",    "break",     "builder", "case",
      "catch",       "char",     "class",    "const",   "continue",  "default", "delete",
      "do",          "double",   "else",     "enum",    "explicit",  "export",  "extern",
      "false",       "float",    "for",      "friend",  "goto",      "if",      "inline",
      "int",         "long",     "made",     "mutable", "namespace", "new",     "node_attrs",
      "node_inputs", "not",      "operator", "options", "or",        "private", "protected",
      "public",      "register", "return",   "short",   "signed",    "sizeof",  "static",
      "struct",      "switch",   "template", "this",    "throw",     "true",    "try",
      "typename",    "union",    "unsigned", "using",   "virtual",   "void",    "volatile",
      "while",       "xor"};
  return taken.contains(name) ? name + "_" : name;
}

const char* cpp_type(AttrType type) {
  static constexpr const char* names[] = {
      "int64_t",
      "float",
      "bool",
      "std::string",
      "DType",
      "Shape",
      "Tensor",
      "std::vector<int64_t>",
      "std::vector<float>",
      "std::vector<std::string>",
      "DTypes",
      "Shapes",
      "FunctionRef",
      "FunctionRefs"};
  return names[static_cast<size_t>(type)];
}

std::string cpp_value(int64_t value) { return std::to_string(value); }
std::string cpp_value(float value) {
  std::ostringstream text;
  text.precision(9);
  text << value;
  auto number = text.str();
  if (number.find_first_of(".en") == std::string::npos) number += ".0";
  return number.find('n') == std::string::npos ? number + "f"
                                               : "std::numeric_limits<float>::quiet_NaN()";
}
std::string cpp_value(bool value) { return value ? "true" : "false"; }
std::string cpp_value(const std::string& value) {
  std::string text = "\"";
  for (char c : value) {
    if (c == '\n') text += "\\n";
    else if (c == '"' || c == '\\') text += std::string("\\") + c;
    else text += c;
  }
  return text + "\"";
}
std::string cpp_value(DType value) { return std::string("DType::") + to_string(value); }
std::string cpp_value(const Shape& value) {
  if (!value.has_rank()) return "Shape::unknown_rank()";
  std::string text;
  for (auto size : value.sizes()) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "Shape{" + text + "}";
}
// No op has one as a default.
std::string cpp_value(const Tensor&) { return "{}"; }
std::string cpp_value(const FunctionRef&) { return "{}"; }
template <class T>
std::string cpp_value(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) text += (text.empty() ? "" : ", ") + cpp_value(value);
  return "{" + text + "}";
}

bool is_list(const Argument& argument) {
  return !argument.count_attr.empty() || !argument.dtypes_attr.empty();
}

/// What is written of one op.
class Function {
 public:
  explicit Function(const Op& op) : op_(op), name_(cpp_name(snake_case(op.name()))) {
    for (bool has_default : {false, true})
      for (const auto& rule : op.attrs())
        if (rule.fallback.has_value() == has_default && !is_told_by_inputs(op, rule.name))
          attrs_.push_back(&rule);
  }

  std::string declaration() const {
    std::string text = options();
    if (op_.outputs().size() > 1) text += results();
    return text + doc() + head(true) + ";\n";
  }

  std::string definition() const {
    std::string text = head(false) + " {\n  Values node_inputs;\n  Attrs node_attrs;\n";
    for (const auto& input : op_.inputs()) text += add(input);
    for (const auto* rule : attrs_)
      text += "  set(node_attrs, \"" + rule->name + "\", options." + cpp_name(rule->name) + ");\n";
    text +=
        "  auto node = builder.op(\"" + op_.name() + "\", node_inputs, std::move(node_attrs));\n";
    const auto& outputs = op_.outputs();
    if (outputs.empty() || (outputs.size() == 1 && !is_list(outputs[0])))
      return text + "  return node;\n}\n";
    text += "  OutputReader read(node);\n";
    if (outputs.size() == 1) return text + "  return " + read(outputs[0]) + ";\n}\n";
    text += "  " + op_.name() + "Outputs made;\n";
    for (const auto& output : outputs)
      text += "  made." + cpp_name(output.name) + " = " + read(output) + ";\n";
    return text + "  return made;\n}\n";
  }

 private:
  std::string options() const {
    if (attrs_.empty()) return "";
    std::string text = "struct " + op_.name() + "Options {\n";
    for (const auto* rule : attrs_) {
      auto type = std::string(cpp_type(rule->type));
      if (!rule->fallback) type = "Required<" + type + ">";
      text += "  " + type + " " + cpp_name(rule->name);
      auto value =
          rule->fallback
              ? std::visit([](const auto& v) { return cpp_value(v); }, rule->fallback->variant())
              : "{}";
      text += (value[0] == '{' ? value : " = " + value) + ";\n";
    }
    return text + "};\n";
  }

  std::string results() const {
    std::string text = "struct " + op_.name() + "Outputs {\n";
    for (const auto& output : op_.outputs())
      text +=
          std::string(is_list(output) ? "  Values " : "  Value ") + cpp_name(output.name) + ";\n";
    return text + "};\n";
  }

  /// The docstring, and the signature with its dtypes.
  std::string doc() const {
    auto dtypes = dtypes_text(op_);
    return wrapped(op_.doc()) + "///\n" + wrapped(signature(op_)) +
           (dtypes.empty() ? "" : wrapped(dtypes));
  }
  static std::string wrapped(const std::string& paragraph) {
    std::istringstream words(paragraph);
    std::string text, line = "///";
    for (std::string word; words >> word; line += " " + word)
      if (line.size() + 1 + word.size() > columns_max) {
        text += line + "\n";
        line = "///";
      }
    return text + line + "\n";
  }

  std::string head(bool with_default) const {
    const auto& outputs = op_.outputs();
    auto type = outputs.size() > 1                           ? op_.name() + "Outputs"
                : outputs.size() == 1 && is_list(outputs[0]) ? "Values"
                                                             : "Value";
    auto text = type + " " + name_ + "(const Builder& builder";
    for (const auto& input : op_.inputs())
      text += std::string(", const ") + (is_list(input) ? "Values& " : "Value& ") +
              cpp_name(input.name);
    if (!attrs_.empty())
      text += ", const " + op_.name() + "Options& options" + (with_default ? " = {}" : "");
    return text + ")";
  }

  static std::string add(const Argument& input) {
    auto name = cpp_name(input.name);
    auto text = "  append(node_inputs, " + name + ");\n";
    if (!input.count_attr.empty())
      text += "  node_attrs[\"" + input.count_attr + "\"] = static_cast<int64_t>(" + name +
              ".size());\n";
    if (!input.dtypes_attr.empty())
      text += "  node_attrs[\"" + input.dtypes_attr + "\"] = dtypes_of(" + name + ");\n";
    return text;
  }

  static std::string read(const Argument& output) {
    if (!output.count_attr.empty()) return "read.list<int64_t>(\"" + output.count_attr + "\")";
    if (!output.dtypes_attr.empty()) return "read.list<DTypes>(\"" + output.dtypes_attr + "\")";
    return "read.one()";
  }

  const Op& op_;
  std::string name_;
  std::vector<const AttrRule*> attrs_;  // those that inputs do not tell; without default first
};

constexpr const char* header_top = R"(// Generated from the catalog of ops.
#pragma once

#include <limits>

#include "troupe/graph/build/op_options.hpp"

/// A function for each op, under its name in small letters: inputs as arguments, attributes as
/// options, named as TensorFlow's.
///
///     auto y = ops::conv2d(b, x, filter, {.strides = {1, 1, 1, 1}, .padding = "SAME"});
///
/// Ops without outputs give their node, as a target; those with several a struct of them. Errors
/// are the builder's, as for Builder::op.
namespace troupe::ops {

)";

constexpr const char* source_top = R"(// Generated from the catalog of ops.
#include <troupe_ops/ops.hpp>

namespace troupe::ops {
namespace {

void append(Values& inputs, const Value& value) { inputs.push_back(value); }
void append(Values& inputs, const Values& values) {
  inputs.insert(inputs.end(), values.begin(), values.end());
}

DTypes dtypes_of(const Values& values) {
  DTypes dtypes;
  for (const auto& value : values)
    dtypes.push_back(value.is_valid() ? value.dtype() : DType::invalid);
  return dtypes;
}

template <class T>
void set(Attrs& attrs, const char* name, const T& value) {
  attrs[name] = value;
}
template <class T>
void set(Attrs& attrs, const char* name, const Required<T>& option) {
  if (option.value()) attrs[name] = *option.value();
}

int64_t count(int64_t number) { return number; }
int64_t count(const DTypes& dtypes) { return static_cast<int64_t>(dtypes.size()); }

/// Hands out the outputs of a node in their order.
class OutputReader {
 public:
  explicit OutputReader(Value node) : node_(std::move(node)) {}

  Value one() { return node_.is_valid() ? node_.output(next_++) : Value(); }

  /// As many as the attribute says.
  template <class T>
  Values list(const char* attr) {
    Values values;
    if (!node_.is_valid()) return values;
    const auto& node = node_.builder().graph().node(node_.output().node);
    for (auto left = count(node.attr<T>(attr)); left > 0; --left) values.push_back(one());
    return values;
  }

 private:
  Value node_;
  int next_ = 0;
};

}  // namespace

)";

/// Leaves a file alone that has this text already, so that what includes it is not built again.
int write(
    const std::string& path, std::string text,
    const std::function<std::string(const Function&)>& text_of) {
  auto catalog = op_catalog();
  for (const auto& [name, op] : catalog->all())
    if (name[0] != '_') text += text_of(Function(op)) + "\n";
  text += "}  // namespace troupe::ops\n";
  std::ifstream old(path);
  if (old && text == std::string(std::istreambuf_iterator<char>(old), {})) return 0;
  std::ofstream file(path);
  file << text;
  file.close();
  if (file) return 0;
  std::fprintf(stderr, "generate_ops: cannot write %s\n", path.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "Usage: generate_ops FOLDER\n\nWrites ops.hpp and ops.cpp there.\n");
    return 2;
  }
  std::string folder = argv[1];
  auto failed = write(folder + "/ops.hpp", header_top, &Function::declaration) ||
                write(folder + "/ops.cpp", source_top, &Function::definition);
  return failed ? 1 : 0;
}
