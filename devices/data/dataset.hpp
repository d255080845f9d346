#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "troupe/graph/types/tensor.hpp"
#include "troupe/graph/types/variant.hpp"

namespace troupe::data {

class Iteration;

/// An element of a dataset: a tensor for each component.
using Element = Tensors;

/// What comes next: an element; nothing, at the end; or an error in its place, behind which there
/// may be more elements.
using Pulled = Result<std::optional<Element>>;

/// The end of a dataset.
inline Pulled end_of_sequence() { return std::optional<Element>(); }

/// Where the elements of a dataset come from, one after the other.
///
/// DS-1: pull() is not called again before the call before has returned an answer or called `done`.
/// DS-2: who has called pull() and got nothing touches nothing that `done` touches: `done` may run
///       already.
/// DS-3: a source lives until it has answered: who began an iteration holds it meanwhile.
class ElementSource {
 public:
  using Done = std::function<void(Pulled)>;

  virtual ~ElementSource() = default;

  /// Returns what comes next; or returns nothing, and calls `done` once when it is there, from any
  /// thread, maybe before this returns. Does not wait.
  virtual std::optional<Pulled> pull(Done done) = 0;
};

using SharedSource = std::shared_ptr<ElementSource>;

/// The value of a variant that is a dataset: how to begin an iteration over its elements. Any
/// number of iterations may be under way. (TensorFlow: DatasetBase.)
class Dataset : public VariantValue {
 public:
  Dataset(DTypes dtypes, Shapes shapes) : dtypes_(std::move(dtypes)), shapes_(std::move(shapes)) {}

  const char* type_name() const final { return "dataset"; }
  /// Of the components of each element. The shapes are what the graph says of them.
  const DTypes& dtypes() const { return dtypes_; }
  const Shapes& shapes() const { return shapes_; }

  virtual Result<SharedSource> iterate(const std::shared_ptr<Iteration>& iteration) const = 0;

 private:
  DTypes dtypes_;
  Shapes shapes_;
};

using SharedDataset = std::shared_ptr<const Dataset>;

/// The dataset that a tensor holds. InvalidArgument: it holds none.
Result<SharedDataset> dataset_of(const Tensor& tensor);

/// A tensor that holds a dataset.
Tensor to_tensor(SharedDataset dataset);

/// Fails, as TensorFlow does, unless components of those dtypes and shapes can be taken for what is
/// expected.
Status check_components(
    const DTypes& dtypes, const Shapes& shapes, const DTypes& expected_dtypes,
    const Shapes& expected_shapes);

/// As check_components(), of an element.
Status check_element(
    const Element& element, const DTypes& expected_dtypes, const Shapes& expected_shapes);

}  // namespace troupe::data
