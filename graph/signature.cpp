#include "troupe/graph/signature.hpp"

#include <algorithm>

namespace troupe {
namespace {

/// Checks one given attribute against its declaration.
Status check_attr(const AttrRule& rule, const AttrValue& value) {
  auto wrong = [&](const std::string& wanted) {
    return invalid_argument(
        "attribute '" + rule.name + "' must be " + wanted + ", not " + value.to_string());
  };
  if (value.type() != rule.type) return wrong(std::string("of type ") + to_string(rule.type));
  auto check_dtype = [&](DType dtype) {
    if (rule.allowed_dtypes.empty() || std::ranges::count(rule.allowed_dtypes, dtype))
      return Status();
    std::string names;
    for (auto allowed : rule.allowed_dtypes)
      names += (names.empty() ? "" : ", ") + std::string(to_string(allowed));
    return wrong("one of " + names);
  };
  if (auto* dtype = value.get<DType>()) return check_dtype(*dtype);
  if (auto* dtypes = value.get<DTypes>()) {
    for (auto dtype : *dtypes)
      if (auto status = check_dtype(dtype); !status.ok()) return status;
    if (static_cast<int64_t>(dtypes->size()) < rule.minimum)
      return wrong("at least " + std::to_string(rule.minimum) + " long");
  }
  if (auto* number = value.get<int64_t>(); number && *number < rule.minimum)
    return wrong("at least " + std::to_string(rule.minimum));
  auto* text = value.get<std::string>();
  if (text && !rule.allowed_strings.empty() && !std::ranges::count(rule.allowed_strings, *text)) {
    std::string names;
    for (const auto& allowed : rule.allowed_strings)
      names += (names.empty() ? "'" : ", '") + allowed + "'";
    return wrong("one of " + names);
  }
  return {};
}

/// Fits the dtypes of a node's inputs to its op's declaration, and completes its attributes.
class Signature {
 public:
  Signature(const Op& op, Attrs& attrs, const DTypes& given)
      : op_(op), attrs_(attrs), given_(given) {}

  Status complete() {
    for (const auto& [name, value] : attrs_) {
      if (name.starts_with('_')) continue;  // ours or a tool's: carried along, not checked
      auto* rule = op_.find_attr(name);
      if (!rule) return invalid_argument("op " + op_.name() + " has no attribute '" + name + "'");
      if (auto status = check_attr(*rule, value); !status.ok()) return status;
    }
    for (const auto& argument : op_.inputs())
      if (auto status = take(argument); !status.ok()) return status;
    if (next_ != given_.size()) return wrong_count();
    return fill_defaults();
  }

  /// The dtypes of the outputs, once complete.
  Result<DTypes> output_dtypes() const {
    DTypes dtypes;
    for (const auto& argument : op_.outputs()) {
      if (!argument.dtypes_attr.empty()) {
        const auto& list = *attrs_.at(argument.dtypes_attr).template get<DTypes>();
        dtypes.insert(dtypes.end(), list.begin(), list.end());
        continue;
      }
      int64_t count =
          argument.count_attr.empty() ? 1 : *attrs_.at(argument.count_attr).template get<int64_t>();
      if (count > 100000)
        return invalid_argument("an op cannot have " + std::to_string(count) + " outputs");
      auto dtype = argument.dtype_attr.empty()
                       ? argument.dtype
                       : *attrs_.at(argument.dtype_attr).template get<DType>();
      dtypes.insert(dtypes.end(), static_cast<size_t>(count), dtype);
    }
    return dtypes;
  }

 private:
  Status wrong_count() const {
    std::string names;
    for (const auto& argument : op_.inputs()) names += (names.empty() ? "" : ", ") + argument.name;
    return invalid_argument(
        "op " + op_.name() + " takes the inputs (" + names + "), but " +
        std::to_string(given_.size()) + " were given");
  }

  size_t count_of(const Argument& argument) const {
    const auto& attr = argument.count_attr.empty() ? argument.dtypes_attr : argument.count_attr;
    if (attr.empty()) return 1;
    if (auto found = attrs_.find(attr); found != attrs_.end()) {
      if (auto* count = found->second.get<int64_t>())
        return static_cast<size_t>(std::max<int64_t>(0, *count));
      return found->second.get<DTypes>()->size();
    }
    // Implied: what the other arguments leave, in equal parts for the lists of that length.
    auto lists = static_cast<size_t>(std::ranges::count_if(op_.inputs(), [&](const auto& other) {
      return attr == other.count_attr || attr == other.dtypes_attr;
    }));
    auto rest = op_.inputs().size() - lists;
    return given_.size() < rest ? 0 : (given_.size() - rest) / lists;
  }

  Status take(const Argument& argument) {
    auto count = count_of(argument);
    if (count > given_.size() - next_) return wrong_count();
    if (!argument.dtypes_attr.empty()) {
      DTypes list(given_.begin() + next_, given_.begin() + next_ + count);
      next_ += count;
      return take_list(argument, list);
    }
    if (!argument.count_attr.empty())
      if (auto status = imply(argument.count_attr, static_cast<int64_t>(count)); !status.ok())
        return status;
    for (size_t i = 0; i < count; ++i)
      if (auto status = take_one(argument, given_[next_++]); !status.ok()) return status;
    return {};
  }

  Status take_one(const Argument& argument, DType given) {
    auto wanted = argument.dtype;
    if (!argument.dtype_attr.empty()) {
      auto found = attrs_.find(argument.dtype_attr);
      if (found == attrs_.end()) return imply(argument.dtype_attr, given);
      wanted = *found->second.get<DType>();
    }
    if (wanted == given) return {};
    return invalid_argument(
        "input '" + argument.name + "' must be " + to_string(wanted) + ", not " + to_string(given));
  }

  /// The dtypes of a list; those that the node gives besides must be the same.
  Status take_list(const Argument& argument, const DTypes& given) {
    auto found = attrs_.find(argument.dtypes_attr);
    if (found == attrs_.end()) return imply(argument.dtypes_attr, given);
    const auto& wanted = *found->second.get<DTypes>();
    auto [one, other] = std::ranges::mismatch(wanted, given);
    if (one == wanted.end()) return {};
    return invalid_argument(
        "input '" + argument.name + "' " + std::to_string(one - wanted.begin()) + " must be " +
        to_string(*one) + ", not " + to_string(*other));
  }

  Status imply(const std::string& name, AttrValue value) {
    if (attrs_.contains(name)) return {};
    auto status = check_attr(*op_.find_attr(name), value);
    attrs_.emplace(name, std::move(value));
    return status;
  }

  Status fill_defaults() {
    for (const auto& rule : op_.attrs()) {
      if (attrs_.contains(rule.name)) continue;
      if (!rule.fallback)
        return invalid_argument("op " + op_.name() + " needs the attribute '" + rule.name + "'");
      attrs_.emplace(rule.name, *rule.fallback);
    }
    return {};
  }

  const Op& op_;
  Attrs& attrs_;
  const DTypes& given_;
  size_t next_ = 0;
};

}  // namespace

Result<DTypes> complete_signature(const Op& op, const DTypes& inputs, Attrs& attrs) {
  Signature signature(op, attrs, inputs);
  if (auto status = signature.complete(); !status.ok()) return status;
  return signature.output_dtypes();
}

}  // namespace troupe
