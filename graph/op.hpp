#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/graph/types/attr.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

class ShapeInference;
class Gradient;

/// One declared input or output of an op. It stands for one tensor, for `count_attr` tensors of one
/// dtype, or for a tensor per entry of `dtypes_attr`.
struct Argument {
  std::string name;
  DType dtype = DType::invalid;  // fixed, unless dtype_attr or dtypes_attr is set
  bool is_ref = false;           // a reference to a variable, which an op may write to
  std::string dtype_attr;
  std::string count_attr;
  std::string dtypes_attr;
};

/// One declared attribute of an op.
struct AttrRule {
  std::string name;
  AttrType type;
  std::optional<AttrValue> fallback;  // absent: the node must give it, or its inputs imply it
  DTypes allowed_dtypes;              // empty: any
  std::vector<std::string> allowed_strings;               // empty: any
  int64_t minimum = std::numeric_limits<int64_t>::min();  // of an int, or of a list's length
};

/// What an op means: its inputs, outputs and attributes, the shapes of its results, its gradient.
/// Names, attributes and defaults are those of TensorFlow's op of the same name. Read from top to
/// bottom:
///
///     catalog.add(Op("MatMul")
///         .doc("...").input("a", "T").input("b", "T").output("product", "T")
///         .attr("transpose_a", false).attr("T", floating())
///         .infer_shape(...).gradient(...));
class Op {
 public:
  using InferShape = std::function<Status(ShapeInference&)>;
  using MakeGradient = std::function<void(Gradient&)>;

  explicit Op(std::string name) : name_(std::move(name)) {}

  Op&& doc(std::string text) &&;
  /// `dtype`: the name of a type attribute, or a dtype.
  Op&& input(std::string name, std::string dtype_attr) &&;
  Op&& input(std::string name, DType dtype) &&;
  Op&& output(std::string name, std::string dtype_attr) &&;
  Op&& output(std::string name, DType dtype) &&;
  /// A reference to a variable of that dtype: in a step, the handle of the variable. An op that
  /// takes a tensor where a reference is given gets the variable's value (passes/partition.hpp).
  Op&& ref_input(std::string name, std::string dtype_attr) &&;
  Op&& ref_output(std::string name, std::string dtype_attr) &&;
  /// The same for a resource that is no variable, such as a queue: `dtype` is what TensorFlow's
  /// graphs call the handle, a string. Such a reference has no value.
  Op&& ref_input(std::string name, DType dtype) &&;
  Op&& ref_output(std::string name, DType dtype) &&;
  /// `count_attr` references, all of the dtype in `dtype_attr`, or of a fixed one.
  Op&& ref_inputs(std::string name, std::string dtype_attr, std::string count_attr) &&;
  Op&& ref_inputs(std::string name, DType dtype, std::string count_attr) &&;
  /// `count_attr` tensors, all of the dtype in `dtype_attr`, or of a fixed one.
  Op&& inputs(std::string name, std::string dtype_attr, std::string count_attr) &&;
  Op&& outputs(std::string name, std::string dtype_attr, std::string count_attr) &&;
  Op&& inputs(std::string name, DType dtype, std::string count_attr) &&;
  Op&& outputs(std::string name, DType dtype, std::string count_attr) &&;
  /// A tensor for each dtype of the list(type) attribute.
  Op&& inputs(std::string name, std::string dtypes_attr) &&;
  Op&& outputs(std::string name, std::string dtypes_attr) &&;

  /// An attribute with a default, which determines its type.
  Op&& attr(std::string name, AttrValue fallback) &&;
  /// An attribute that the node must give or its inputs imply.
  Op&& attr(std::string name, AttrType type) &&;
  /// A type attribute limited to some dtypes.
  Op&& attr(std::string name, DTypes allowed, std::optional<DType> fallback = {}) &&;
  /// A string attribute limited to some values.
  Op&& attr(std::string name, std::string fallback, std::vector<std::string> allowed) &&;
  /// The least value of an int attribute, or length of a list attribute.
  Op&& attr_at_least(std::string name, int64_t minimum) &&;

  Op&& infer_shape(InferShape infer) &&;
  Op&& gradient(MakeGradient make) &&;
  /// The op reads or changes state: its nodes must not be merged, moved alone or precomputed.
  Op&& stateful() &&;
  /// Output 0 is the handle of a named resource: `shared_name` in `container`, which the op must
  /// have as attributes. An empty shared_name stands for the node's name, if the resource is a
  /// variable or the attribute `use_node_name_sharing` is true, and else for a resource that only
  /// the session can use. Stateful.
  Op&& resource_handle() &&;
  /// The op works on a named resource, as resource_handle() names it, and no input brings its
  /// handle: its kernel finds that as one more input, after those of the node. An empty shared_name
  /// stands for the node's name. Stateful.
  Op&& named_resource() &&;

  const std::string& name() const { return name_; }
  /// Where it is defined: "math/rounding" is graph/ops/math/rounding.cpp.
  const std::string& family() const { return family_; }
  const std::string& doc() const { return doc_; }
  const std::vector<Argument>& inputs() const { return inputs_; }
  const std::vector<Argument>& outputs() const { return outputs_; }
  const std::vector<AttrRule>& attrs() const { return attrs_; }
  const InferShape& infer_shape() const { return infer_shape_; }
  /// Empty where the op has none: gradients() then says so, and names it.
  const MakeGradient& gradient() const { return gradient_; }
  bool is_stateful() const { return stateful_; }
  bool makes_resource_handle() const { return resource_handle_; }
  bool works_on_named_resource() const { return named_resource_; }
  const AttrRule* find_attr(std::string_view name) const;

 private:
  friend class OpCatalog;

  std::string name_;
  std::string family_;
  std::string doc_;
  std::vector<Argument> inputs_;
  std::vector<Argument> outputs_;
  std::vector<AttrRule> attrs_;
  InferShape infer_shape_;
  MakeGradient gradient_;
  bool stateful_ = false;
  bool resource_handle_ = false;
  bool named_resource_ = false;
};

/// All ops that a graph may use, by name. Filled once, at start (`ops/all_ops.hpp`), then only
/// read; the addresses of its ops stay valid. Besides, it finds the ops that the process has loaded
/// (`ops/loaded_ops.hpp`).
class OpCatalog {
 public:
  /// The ops that are added from now on are of that family.
  void begin_family(std::string name) { family_ = std::move(name); }
  /// Adding a name twice is a bug.
  void add(Op op);
  /// NotFound names the op and suggests the most similar name of the catalog.
  Result<const Op*> find(std::string_view name) const;
  /// Without the loaded ones.
  const std::map<std::string, Op, std::less<>>& all() const { return ops_; }

 private:
  std::map<std::string, Op, std::less<>> ops_;
  std::string family_;
};

/// The known name with the least edit distance to a wrong one, or "" if none is similar.
std::string nearest_name(std::string_view wrong, const std::vector<std::string>& known);

/// What a call of a function computes.
struct CallOutputs {
  DTypes dtypes;
  Shapes shapes;
};

/// The inputs and results of an op's shape function, which runs when a node is added to a graph.
/// Outputs that the function does not set have unknown rank.
class ShapeInference {
 public:
  using InferCall =
      std::function<Result<CallOutputs>(const FunctionRef&, const DTypes&, const Shapes&)>;

  ShapeInference(
      const Attrs& attrs, std::vector<Shape> inputs, std::vector<DType> input_dtypes,
      std::vector<std::optional<Tensor>> constants, Shapes inputs_as_shapes, size_t output_count,
      const Attrs* handle, InferCall infer_call)
      : attrs_(attrs),
        inputs_(std::move(inputs)),
        input_dtypes_(std::move(input_dtypes)),
        constants_(std::move(constants)),
        inputs_as_shapes_(std::move(inputs_as_shapes)),
        outputs_(output_count, Shape::unknown_rank()),
        handle_(handle),
        infer_call_(std::move(infer_call)) {}

  int input_count() const { return static_cast<int>(inputs_.size()); }
  const Shape& input(int index) const { return inputs_[static_cast<size_t>(index)]; }
  DType input_dtype(int index) const { return input_dtypes_[static_cast<size_t>(index)]; }
  /// The value of an input that is known while the graph is built.
  const std::optional<Tensor>& constant(int index) const {
    return constants_[static_cast<size_t>(index)];
  }
  /// A constant int32 or int64 vector or scalar as sizes; nothing if it is not known yet.
  std::optional<std::vector<int64_t>> constant_ints(int index) const;
  /// The shape that an input describes as a vector of sizes, as far as it is known. Fails if it
  /// cannot be a shape: a negative size, too many sizes, not a vector.
  Result<Shape> input_as_shape(int index) const;

  template <class T>
  const T& attr(std::string_view name) const {
    auto found = attrs_.find(name);
    CHECK(found != attrs_.end());
    auto* value = found->second.get<T>();
    CHECK(value != nullptr);
    return *value;
  }

  /// What a function of the graph computes from arguments of those dtypes and shapes. Fails where
  /// they are not its arguments.
  Result<CallOutputs> call(
      const FunctionRef& function, const DTypes& dtypes, const Shapes& shapes) const {
    return infer_call_(function, dtypes, shapes);
  }
  const std::vector<Shape>& inputs() const { return inputs_; }
  const DTypes& input_dtypes() const { return input_dtypes_; }

  /// The shape of the variable whose handle, or reference, is input 0, as far as the graph tells.
  Shape handle_shape() const;
  /// Fails unless that variable's dtype is this.
  Status check_handle_dtype(DType dtype) const;
  /// An attribute of the node that makes the handle of input 0; nothing if it has no such one.
  template <class T>
  std::optional<T> handle_attr(std::string_view name) const {
    auto found = handle_->find(name);
    auto* value = found == handle_->end() ? nullptr : found->second.get<T>();
    return value ? std::optional<T>(*value) : std::nullopt;
  }

  /// Fails, with the input's index and shape, unless it can have that rank.
  Status need_rank(int index, int rank) const;

  void set(int output, Shape shape) { outputs_[static_cast<size_t>(output)] = shape; }
  const std::vector<Shape>& outputs() const { return outputs_; }

 private:
  const Attrs& attrs_;
  std::vector<Shape> inputs_;
  std::vector<DType> input_dtypes_;
  std::vector<std::optional<Tensor>> constants_;
  Shapes inputs_as_shapes_;
  std::vector<Shape> outputs_;
  const Attrs* handle_;  // the attributes of the node that makes input 0
  InferCall infer_call_;
};

/// A constant's int32 or int64 elements; nothing for another dtype.
std::optional<std::vector<int64_t>> to_ints(const Tensor& tensor);

/// The axis counted from 0, for one that may be negative (counted from the end). Fails, naming the
/// range, unless a tensor of that rank has it.
Result<int> find_axis(int64_t axis, int rank);

/// Shape functions that many ops share.
namespace shapes {
/// Output 0 has the shape of that input.
Op::InferShape same_as_input(int index = 0);
/// Output 0 is a scalar.
Op::InferShape scalar();
/// Output 0 has the shape that an input describes as a vector of sizes.
Op::InferShape from_shape_input(int index);
/// Output 0 has the shape of inputs 0 and 1 broadcast together.
Op::InferShape broadcast();
/// The op has no outputs, or leaves their shapes unknown.
Op::InferShape none();
}  // namespace shapes

}  // namespace troupe
