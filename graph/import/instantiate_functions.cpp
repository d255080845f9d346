#include "troupe/graph/import/instantiate_functions.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "troupe/graph/import/message_bytes.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

constexpr size_t instances_max = 1'000;

using AttrMap = google::protobuf::Map<std::string, proto::AttrValue>;

/// The value as a part of a name.
std::string word_of(const proto::AttrValue& value) {
  std::string text;
  switch (value.value_case()) {
    case proto::AttrValue::kType: text = proto::DataType_Name(value.type()).substr(3); break;
    case proto::AttrValue::kI: text = std::to_string(value.i()); break;
    case proto::AttrValue::kB: text = value.b() ? "true" : "false"; break;
    case proto::AttrValue::kS: text = value.s().substr(0, 16); break;
    case proto::AttrValue::kFunc: text = value.func().name(); break;
    default: break;
  }
  for (auto& c : text) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return lower_case(text);
}

bool is_allowed(const proto::AttrValue& value, const proto::AttrValue& allowed) {
  if (value.value_case() == proto::AttrValue::kType && allowed.list().type_size() > 0)
    return std::ranges::count(allowed.list().type(), value.type()) > 0;
  if (value.value_case() == proto::AttrValue::kS && allowed.list().s_size() > 0)
    return std::ranges::count(allowed.list().s(), value.s()) > 0;
  return true;
}

/// Puts the values in the place of what only names an attribute of the function.
void substitute(proto::AttrValue& value, const AttrMap& values) {
  if (!value.placeholder().empty()) {
    if (auto given = values.find(value.placeholder()); given != values.end()) value = given->second;
    return;
  }
  auto each = [&](proto::NameAttrList& function) {
    for (auto& [name, inner] : *function.mutable_attr()) substitute(inner, values);
  };
  if (value.has_func()) each(*value.mutable_func());
  if (value.has_list())
    for (auto& function : *value.mutable_list()->mutable_func()) each(function);
}

/// The dtypes of an argument: several where it is a list.
std::vector<proto::DataType> dtypes_of(
    const proto::OpDef::ArgDef& argument, const AttrMap& values) {
  auto value = [&](const std::string& attr) {
    auto found = values.find(attr);
    return found == values.end() ? proto::AttrValue() : found->second;
  };
  if (!argument.type_list_attr().empty()) {
    std::vector<proto::DataType> dtypes;
    auto list = value(argument.type_list_attr()).list();
    for (auto dtype : list.type()) dtypes.push_back(static_cast<proto::DataType>(dtype));
    return dtypes;
  }
  auto dtype = argument.type_attr().empty() ? argument.type() : value(argument.type_attr()).type();
  if (argument.number_attr().empty()) return {dtype};
  auto count = std::clamp<int64_t>(value(argument.number_attr()).i(), 0, 10'000);
  return std::vector<proto::DataType>(static_cast<size_t>(count), dtype);
}

bool is_list(const proto::OpDef::ArgDef& argument) {
  return !argument.type_list_attr().empty() || !argument.number_attr().empty();
}

/// Writes one function for the values of its attributes.
class Instance {
 public:
  Instance(proto::FunctionDef function, const AttrMap& values)
      : function_(std::move(function)), values_(values) {}

  proto::FunctionDef make(const std::string& name) {
    auto& signature = *function_.mutable_signature();
    signature.set_name(name);
    signature.clear_attr();
    add_arguments(signature);
    for (auto& node : *function_.mutable_node_def()) {
      for (auto& [attr, value] : *node.mutable_attr()) substitute(value, values_);
      take_list_inputs(node);
    }
    add_results(signature);
    return std::move(function_);
  }

 private:
  void add_arguments(proto::OpDef& signature) {
    auto arguments = signature.input_arg();
    signature.clear_input_arg();
    for (const auto& argument : arguments) {
      auto dtypes = dtypes_of(argument, values_);
      if (is_list(argument)) list_sizes_[argument.name()] = dtypes.size();
      for (size_t i = 0; i < dtypes.size(); ++i)
        add_argument(*signature.add_input_arg(), argument, dtypes[i], i);
    }
    // They are of the positions before.
    if (!list_sizes_.empty()) function_.clear_arg_attr();
  }

  static std::string element(const std::string& list, size_t index) {
    return list + "_" + std::to_string(index);
  }

  static void add_argument(
      proto::OpDef::ArgDef& to, const proto::OpDef::ArgDef& from, proto::DataType dtype,
      size_t index) {
    to.set_name(is_list(from) ? element(from.name(), index) : from.name());
    to.set_type(dtype);
  }

  /// "list:1" is an argument of its own now, and "list" all of them.
  void take_list_inputs(proto::NodeDef& node) {
    if (list_sizes_.empty()) return;
    auto inputs = node.input();
    node.clear_input();
    for (const auto& input : inputs) {
      auto colon = input.find(':');
      auto found = list_sizes_.find(input.substr(0, colon));
      if (found == list_sizes_.end()) node.add_input(input);
      else if (colon != std::string::npos)
        node.add_input(found->first + "_" + input.substr(colon + 1));
      else
        for (size_t i = 0; i < found->second; ++i) node.add_input(element(found->first, i));
    }
  }

  void add_results(proto::OpDef& signature) {
    auto results = signature.output_arg();
    signature.clear_output_arg();
    for (const auto& result : results) {
      auto dtypes = dtypes_of(result, values_);
      auto value =
          function_.ret().count(result.name()) > 0 ? function_.ret().at(result.name()) : "";
      auto of_list = list_sizes_.contains(value);
      for (size_t i = 0; i < dtypes.size(); ++i) {
        add_argument(*signature.add_output_arg(), result, dtypes[i], i);
        if (is_list(result))
          (*function_.mutable_ret())[element(result.name(), i)] =
              of_list ? element(value, i) : value + ":" + std::to_string(i);
      }
      if (is_list(result)) function_.mutable_ret()->erase(result.name());
    }
  }

  proto::FunctionDef function_;
  const AttrMap& values_;
  std::map<std::string, size_t> list_sizes_;  // of arguments
};

class Instantiation {
 public:
  explicit Instantiation(proto::GraphDef& graph) : graph_(graph) {}

  Status run() {
    auto functions = std::move(*graph_.mutable_library()->mutable_function());
    graph_.mutable_library()->clear_function();
    for (const auto& gradient : graph_.library().gradient())
      gradients_.emplace(gradient.function_name(), gradient.gradient_func());
    for (auto& function : functions) {
      names_.emplace(function.signature().name(), 0);
      if (function.signature().attr_size() > 0)
        patterns_.emplace(function.signature().name(), std::move(function));
      else *graph_.mutable_library()->add_function() = std::move(function);
    }
    for (auto& node : *graph_.mutable_node())
      if (auto status = rewrite(node); !status.ok()) return status;
    // Instances are added at the end while this goes on.
    for (int i = 0; i < graph_.library().function_size(); ++i)
      for (int j = 0; j < graph_.library().function(i).node_def_size(); ++j) {
        // A copy, as the library may move while functions are added.
        auto node = graph_.library().function(i).node_def(j);
        if (auto status = rewrite(node); !status.ok()) return status;
        *graph_.mutable_library()->mutable_function(i)->mutable_node_def(j) = std::move(node);
      }
    return {};
  }

 private:
  Status rewrite(proto::NodeDef& node) {
    for (auto& [name, value] : *node.mutable_attr())
      if (auto status = rewrite(value); !status.ok()) return status.at(where_of(node));
    if (!patterns_.contains(node.op())) return {};
    auto name = instance_of(node.op(), node.attr());
    if (!name) return name.status().at(where_of(node));
    for (const auto& attr : patterns_.at(node.op()).signature().attr())
      node.mutable_attr()->erase(attr.name());
    node.set_op(*name);
    return {};
  }

  static Where where_of(const proto::NodeDef& node) {
    return {.node = node.name(), .op = node.op()};
  }

  Status rewrite(proto::AttrValue& value) {
    auto each = [&](proto::NameAttrList& function) -> Status {
      for (auto& [name, inner] : *function.mutable_attr())
        if (auto status = rewrite(inner); !status.ok()) return status;
      if (!patterns_.contains(function.name())) return {};
      auto name = instance_of(function.name(), function.attr());
      if (!name) return name.status();
      function.set_name(*name);
      function.clear_attr();
      return {};
    };
    if (value.has_func()) return each(*value.mutable_func());
    if (!value.has_list()) return {};
    for (auto& function : *value.mutable_list()->mutable_func())
      if (auto status = each(function); !status.ok()) return status;
    return {};
  }

  /// The name of the function for these values; it is made where it does not exist.
  Result<std::string> instance_of(const std::string& name, const AttrMap& given) {
    const auto& pattern = patterns_.at(name);
    AttrMap values;
    proto::NodeDef key;
    auto readable = name;
    for (const auto& attr : pattern.signature().attr()) {
      auto found = given.find(attr.name());
      if (found == given.end() && !attr.has_default_value())
        return not_found("Attr " + attr.name() + " is not found from function '" + name + "'");
      const auto& value = found == given.end() ? attr.default_value() : found->second;
      if (attr.has_allowed_values() && !is_allowed(value, attr.allowed_values()))
        return invalid_argument(
            "Value for attr '" + attr.name() + "' of function '" + name +
            "' is not allowed: " + value.ShortDebugString());
      values[attr.name()] = value;
      (*key.mutable_attr())[attr.name()] = value;
      if (auto word = word_of(value); !word.empty()) readable += "_" + attr.name() + "_" + word;
    }
    key.set_op(name);
    auto [instance, is_new] = instances_.try_emplace(message_bytes(key), "");
    if (!is_new) return instance->second;
    if (instances_.size() > instances_max)
      return resource_exhausted(
          "function '" + name + "' is called with more than " + std::to_string(instances_max) +
          " sets of attributes");
    instance->second = unique(readable);
    auto made = instance->second;
    *graph_.mutable_library()->add_function() = Instance(pattern, values).make(made);
    if (auto gradient = gradients_.find(name); gradient != gradients_.end()) {
      auto is_pattern = patterns_.contains(gradient->second);
      auto function = is_pattern ? instance_of(gradient->second, given) : Result(gradient->second);
      if (!function) return function.status();
      auto& added = *graph_.mutable_library()->add_gradient();
      added.set_function_name(made);
      added.set_gradient_func(*function);
    }
    return made;
  }

  std::string unique(const std::string& name) {
    auto [known, is_new] = names_.try_emplace(name, 0);
    if (is_new) return name;
    return unique(name + "_" + std::to_string(++known->second));
  }

  proto::GraphDef& graph_;
  std::map<std::string, proto::FunctionDef> patterns_;  // functions with attributes
  std::map<std::string, std::string> instances_;        // names, by function and values
  std::map<std::string, std::string> gradients_;        // functions' gradient functions
  std::map<std::string, int> names_;
};

}  // namespace

Status instantiate_functions(proto::GraphDef& graph) {
  auto has_attrs = [](const auto& function) { return function.signature().attr_size() > 0; };
  if (std::ranges::none_of(graph.library().function(), has_attrs)) return {};
  return Instantiation(graph).run();
}

}  // namespace troupe
