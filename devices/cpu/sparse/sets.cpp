#include <algorithm>
#include <map>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/sparse/sparse.hpp"

namespace troupe::cpu {
namespace {

using SetTypes = Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, std::string>;
using SetIndex = std::vector<int64_t>;

/// The sets along the last axis of a tensor, by their indices on the other axes; each is in order
/// and without repetitions. Empty ones are left out.
template <class T>
struct SetTensor {
  SetIndex outer;  // the sizes of the other axes
  std::map<SetIndex, std::vector<T>> sets = {};

  void sort() {
    for (auto& [index, set] : sets) {
      std::ranges::sort(set);
      set.erase(std::unique(set.begin(), set.end()), set.end());
    }
  }
};

Status need_set_rank(int64_t rank) {
  if (rank >= 2) return {};
  return invalid_argument(
      "sets lie along the last of at least 2 axes, but the rank is " + std::to_string(rank));
}

template <class T>
Result<SetTensor<T>> read_dense_sets(const Tensor& tensor) {
  const auto& shape = tensor.shape();
  if (auto status = need_set_rank(shape.rank()); !status.ok()) return status;
  SetTensor<T> result{.outer = SetIndex(shape.sizes().begin(), shape.sizes().end() - 1)};
  auto size = shape[shape.rank() - 1];
  auto values = tensor.values<T>();
  SetIndex index(result.outer.size());
  for (int64_t first = 0; first < std::ssize(values); first += size) {
    result.sets[index].assign(values.begin() + first, values.begin() + first + size);
    for (auto axis = index.size(); axis-- > 0;) {
      if (++index[axis] < result.outer[axis]) break;
      index[axis] = 0;
    }
  }
  result.sort();
  return result;
}

template <class T>
Result<SetTensor<T>> read_sparse_sets(const Launch& launch, int first, bool is_validated) {
  const auto& values = launch.input(first + 1);
  auto places = SparsePlaces::of(launch.input(first), values, launch.input(first + 2));
  if (!places) return places.status();
  if (auto status = need_set_rank(places->rank()); !status.ok()) return status;
  SetTensor<T> result{.outer = SetIndex(places->sizes().begin(), places->sizes().end() - 1)};
  for (int64_t i = 0; i < places->count(); ++i) {
    auto index = (*places)[i];
    if (is_validated && i > 0 && !std::ranges::lexicographical_compare((*places)[i - 1], index))
      return invalid_argument(
          "index " + show_index(index) + " is out of order after " + show_index((*places)[i - 1]));
    result.sets[SetIndex(index.begin(), index.end() - 1)].push_back(values.data<T>()[i]);
  }
  result.sort();
  return result;
}

enum class SetOperation : uint8_t { a_minus_b, b_minus_a, both, either };

SetOperation operation_named(const std::string& name) {
  if (name == "a-b") return SetOperation::a_minus_b;
  if (name == "b-a") return SetOperation::b_minus_a;
  return name == "intersection" ? SetOperation::both : SetOperation::either;
}

template <class T>
std::vector<T> combine(const std::vector<T>& a, const std::vector<T>& b, SetOperation operation) {
  std::vector<T> result;
  auto to = std::back_inserter(result);
  switch (operation) {
    case SetOperation::a_minus_b: std::ranges::set_difference(a, b, to); break;
    case SetOperation::b_minus_a: std::ranges::set_difference(b, a, to); break;
    case SetOperation::both: std::ranges::set_intersection(a, b, to); break;
    case SetOperation::either: std::ranges::set_union(a, b, to); break;
  }
  return result;
}

template <class T>
Status set_sets(Launch& launch, const SetTensor<T>& result) {
  SetIndex indices;
  int64_t count = 0, largest = 0;
  for (const auto& [index, set] : result.sets) {
    count += std::ssize(set);
    largest = std::max(largest, std::ssize(set));
    for (int64_t place = 0; place < std::ssize(set); ++place) {
      indices.insert(indices.end(), index.begin(), index.end());
      indices.push_back(place);
    }
  }
  auto values = launch.allocate(dtype_of<T>(), {count});
  if (!values) return values.status();
  auto* to = values->template mutable_data<T>();
  for (const auto& [index, set] : result.sets) to = std::ranges::copy(set, to).out;
  auto shape = result.outer;
  shape.push_back(largest);
  auto sizes = launch.allocate(DType::int64, {std::ssize(shape)});
  if (!sizes) return sizes.status();
  std::ranges::copy(shape, sizes->template mutable_data<int64_t>());
  launch.set(1, *std::move(values));
  launch.set(2, *std::move(sizes));
  return set_indices(launch, 0, count, std::ssize(shape), indices);
}

struct SetOptions {
  bool is_sparse1, is_sparse2, is_validated;
  SetOperation operation;
};

template <class T>
Status compute_set_operation(Launch& launch, const SetOptions& options) {
  auto read = [&](int first, bool is_sparse) {
    return is_sparse ? read_sparse_sets<T>(launch, first, options.is_validated)
                     : read_dense_sets<T>(launch.input(first));
  };
  auto a = read(0, options.is_sparse1);
  if (!a) return a.status();
  auto b = read(options.is_sparse1 ? 3 : 1, options.is_sparse2);
  if (!b) return b.status();
  if (a->outer != b->outer)
    return invalid_argument(
        "the tensors of sets must agree in all axes but the last, but have " +
        show_index(a->outer) + " and " + show_index(b->outer) + " of them");
  SetTensor<T> result{.outer = a->outer};
  for (const auto& [index, set] : a->sets)
    result.sets[index] = combine(set, b->sets[index], options.operation);
  for (const auto& [index, set] : b->sets)
    if (!a->sets.contains(index)) result.sets[index] = combine({}, set, options.operation);
  return set_sets(launch, result);
}

template <class T>
Status compute_set_size(Launch& launch, bool is_validated) {
  auto sets = read_sparse_sets<T>(launch, 0, is_validated);
  if (!sets) return sets.status();
  auto shape = Shape::make(sets->outer);
  if (!shape) return shape.status();
  auto out = launch.allocate(DType::int32, *shape);
  if (!out) return out.status();
  auto* sizes = out->template mutable_data<int32_t>();
  std::fill_n(sizes, out->elements(), 0);
  for (const auto& [index, set] : sets->sets) {
    int64_t offset = 0;
    for (size_t axis = 0; axis < index.size(); ++axis)
      offset = offset * sets->outer[axis] + index[axis];
    sizes[offset] = static_cast<int32_t>(set.size());
  }
  launch.set(0, *std::move(out));
  return {};
}

KernelCatalog::Make make_set_operation(bool is_sparse1, bool is_sparse2) {
  return [=](const Node& node) {
    SetOptions options{
        .is_sparse1 = is_sparse1,
        .is_sparse2 = is_sparse2,
        .is_validated = node.attr<bool>("validate_indices"),
        .operation = operation_named(node.attr<std::string>("set_operation"))};
    return dispatch(SetTypes{}, node.attr<DType>("T"), [options](auto zero) {
      return Kernel{.compute = [options](Launch& launch) {
        return compute_set_operation<decltype(zero)>(launch, options);
      }};
    });
  };
}

}  // namespace

void add_sets_kernels(KernelCatalog& catalog) {
  catalog.add("DenseToDenseSetOperation", make_set_operation(false, false));
  catalog.add("DenseToSparseSetOperation", make_set_operation(false, true));
  catalog.add("SparseToSparseSetOperation", make_set_operation(true, true));
  catalog.add("SetSize", [](const Node& node) {
    auto is_validated = node.attr<bool>("validate_indices");
    return dispatch(SetTypes{}, node.attr<DType>("T"), [is_validated](auto zero) {
      return Kernel{.compute = [is_validated](Launch& launch) {
        return compute_set_size<decltype(zero)>(launch, is_validated);
      }};
    });
  });
}

}  // namespace troupe::cpu
