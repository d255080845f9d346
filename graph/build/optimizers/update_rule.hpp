#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/build/optimizers/optimizers.hpp"

namespace troupe {

/// The update of one variable in a training step. `builder` has the variable's device and
/// container. Where there are `rows`, `gradient` are their values.
struct Update {
  Builder builder;
  const Variable& variable;
  Value gradient;
  std::optional<IndexedSlices> rows = {};
};

/// What an optimizer adds to a training step: what all updates share, each update, and what runs
/// after them. An update is one node of an op that the rule's form names; inputs are found by the
/// names of the op's arguments.
class UpdateRule {
 public:
  /// A variable of state beside each trained variable, with its first value.
  struct Slot {
    const char* argument;
    std::string name;
    double initial = 0;
  };
  struct Form {
    std::string name;
    std::string op;  // behind ResourceApply for tensors, behind ResourceSparseApply for rows
    std::map<std::string, Operand> numbers;  // scalars by the op's arguments
    std::vector<Slot> slots = {};
    Attrs attrs = {};
    Status fault = {};  // why the optimizer's options are refused
  };

  explicit UpdateRule(Form form) : form_(std::move(form)) {}
  virtual ~UpdateRule() = default;

  const std::string& name() const { return form_.name; }
  const Status& fault() const { return form_.fault; }
  virtual void begin(const std::vector<Update>& updates) {}
  virtual Value apply(const Update& update) const;
  /// For a gradient of some rows.
  virtual Value apply_rows(const Update& update) const;
  virtual Values end(const Builder& after_updates) const { return {}; }

 protected:
  using Arguments = std::map<std::string, Value, std::less<>>;

  const Operand& number(const char* argument) const { return form_.numbers.at(argument); }
  /// The slots and numbers of an update.
  Arguments arguments(const Update& update) const;
  Value add(const Update& update, const std::string& op, const Arguments& arguments) const;

 private:
  Form form_;
};

/// The rows of an update with those of one index summed.
IndexedSlices sum_rows(const Update& update);

std::unique_ptr<UpdateRule> make_update_rule(const Optimizer& optimizer);

}  // namespace troupe
