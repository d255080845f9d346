#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "troupe/graph/types/resource.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// Computes on elements of a TensorArray in the memory where they lie.
class ElementMath {
 public:
  virtual ~ElementMath() = default;
  virtual Result<Tensor> zeros(DType dtype, const Shape& shape) = 0;
  /// Of two tensors of one dtype and shape; may write over `a`.
  virtual Result<Tensor> sum(Tensor a, const Tensor& b) = 0;
};

/// An array of tensors of one dtype, each of which is written once and read, by default, once. It
/// is kept for a step. Its gradient arrays are found by the names of their sources; they sum what
/// is written to an element more than once, and one that is not written is zeros. Thread-safe.
/// (TensorFlow: TensorArrayV3 and its companions.)
///
/// Errors are InvalidArgument, and name the array and the index.
class TensorArrayResource final : public Resource {
 public:
  static constexpr const char* kind_name = "TensorArray";

  struct Options {
    DType dtype = DType::float32;
    /// What is known of the shape of every element.
    Shape element_shape = Shape::unknown_rank();
    /// The first element that is written determines the shape of all.
    bool identical_element_shapes = false;
    /// A write beyond the end grows the array.
    bool dynamic_size = false;
    /// A read frees the element, which cannot be read again.
    bool clear_after_read = true;
  };

  TensorArrayResource(std::string name, int32_t size, const Options& options);

  const char* kind() const override { return kind_name; }
  /// Frees its elements and those of its gradient arrays.
  void drop() override;
  bool is_dropped() const override;
  Description describe() const override;

  DType dtype() const { return options_.dtype; }
  Result<int32_t> size() const;
  /// How many elements are concatenated: all, or in a gradient array as many as the array was split
  /// into.
  Result<int32_t> concat_size() const;

  Status write(int32_t index, Tensor value, ElementMath& math);
  Result<Tensor> read(int32_t index, ElementMath& math);
  /// To be called before `count` elements are written that make up the array. Fails where it has
  /// more, or fewer and cannot grow.
  Status begin_split(int64_t count);
  /// What is known of the shape of every element from now on, this included. Fails where that
  /// contradicts what is known.
  Result<Shape> restrict_element_shape(const Shape& shape);

  /// The gradient array of that source, which is made where there is none; the array cannot grow
  /// any more. Its elements have the shapes of the array's, with `outer` before them.
  Result<std::shared_ptr<TensorArrayResource>> gradient(
      const std::string& source, const Shape& outer);
  /// Frees its elements, and fails all later calls.
  void close();

 private:
  struct Element {
    Tensor value;  // unset: zeros of that shape, unless it is cleared
    Shape shape;
    bool is_written = false;
    bool is_read = false;
  };

  // With the mutex held:
  Status check_open() const;
  Status check_write(int32_t index, const Tensor& value) const;
  Result<Element*> element_to_read(int32_t index);
  Result<std::shared_ptr<TensorArrayResource>> make_gradient(
      const std::string& source, const Shape& outer) const;
  Status fault(int32_t index, const std::string& what) const;

  const std::string name_;
  bool is_gradient_ = false;
  mutable std::mutex mutex_;
  Options options_;  // the dtype never changes
  int32_t size_;
  int32_t split_size_ = -1;  // the elements that a split has written; -1: there was none
  bool has_sums_ = false;    // an element was written more than once
  bool is_closed_ = false;
  // Only those that were written or read: the size alone takes no memory.
  std::unordered_map<int32_t, Element> elements_;
  std::map<std::string, std::shared_ptr<TensorArrayResource>> gradients_;
};

}  // namespace troupe
