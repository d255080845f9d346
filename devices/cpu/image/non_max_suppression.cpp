#include "troupe/devices/cpu/image/non_max_suppression.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

#include "troupe/devices/cpu/image/box_overlap.hpp"
#include "troupe/devices/cpu/image/boxes.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {
namespace {

struct Suppression {
  SuppressionLimits limits;
  std::vector<float> scores;
  std::function<float(int32_t, int32_t)> overlap;

  struct Box {
    int32_t index;
    float score;
    size_t compared;  // with so many of those selected
    bool operator<(const Box& other) const {
      return score < other.score || (score == other.score && index > other.index);
    }
  };

  /// Lowers the score of a box for those of the selected ones that it was not compared with yet.
  /// False if it is out.
  bool survives(Box& box, const std::vector<Box>& selected) const {
    auto scale = limits.sigma > 0 ? -0.5f / limits.sigma : 0;
    for (auto i = selected.size(); i-- > box.compared;) {
      auto value = overlap(box.index, selected[i].index);
      if (value >= limits.threshold) return false;
      box.score *= std::exp(scale * value * value);
      // Also NaN, which equals no score.
      if (!(box.score > limits.score_threshold)) return false;
    }
    box.compared = selected.size();
    return true;
  }

  /// The best boxes, best first.
  std::vector<Box> select() const {
    std::vector<Box> all, selected;
    for (size_t i = 0; i < scores.size(); ++i)
      if (scores[i] > limits.score_threshold)
        all.push_back({static_cast<int32_t>(i), scores[i], 0});
    std::priority_queue<Box> queue({}, std::move(all));
    while (static_cast<int64_t>(selected.size()) < limits.most && !queue.empty()) {
      auto box = queue.top();
      queue.pop();
      auto score = box.score;
      if (!survives(box, selected)) continue;
      // With a lower score it is no longer sure to be the best one.
      if (box.score == score) selected.push_back(box);
      else queue.push(box);
    }
    return selected;
  }
};

std::vector<float> as_floats(const Tensor& tensor) {
  std::vector<float> result(static_cast<size_t>(tensor.elements()));
  if (tensor.dtype() == DType::float32) std::ranges::copy(tensor.values<float>(), result.begin());
  else widen(result.data(), tensor.data<float16>(), tensor.elements());
  return result;
}

Result<float> scalar_float(const Launch& launch, int input, const char* name) {
  const auto& tensor = launch.input(input);
  if (tensor.shape().is_scalar()) return as_floats(tensor)[0];
  return invalid_argument(
      std::string("'") + name + "' must be a scalar, but has the shape " +
      tensor.shape().to_string());
}

Status read_thresholds(const Launch& launch, const SuppressionOp& op, SuppressionLimits& s) {
  s.threshold = op.fixed_threshold.value_or(0);
  s.score_threshold = std::numeric_limits<float>::lowest();
  s.sigma = 0;
  auto read = [&](int input, const char* name, float& to) -> Status {
    auto value = scalar_float(launch, input, name);
    if (value) to = *value;
    return value ? Status() : value.status();
  };
  auto status = op.fixed_threshold ? Status() : read(3, "threshold", s.threshold);
  if (status.ok() && op.has_score_threshold) status = read(4, "score_threshold", s.score_threshold);
  if (status.ok() && op.has_sigma) status = read(5, "soft_nms_sigma", s.sigma);
  if (!status.ok()) return status;
  if (!op.has_overlaps && !(s.threshold >= 0 && s.threshold <= 1))
    return invalid_argument(
        "'iou_threshold' must be in [0, 1], but is " + std::to_string(s.threshold));
  if (!(s.sigma >= 0))
    return invalid_argument(
        "'soft_nms_sigma' must not be negative, but is " + std::to_string(s.sigma));
  return {};
}

Result<Suppression> read_suppression(const Launch& launch, const SuppressionOp& op) {
  auto limits = SuppressionLimits::of(launch, op);
  if (!limits) return limits.status();
  Suppression s{.limits = *limits, .scores = as_floats(launch.input(1)), .overlap = nullptr};
  auto values = std::make_shared<std::vector<float>>(as_floats(launch.input(0)));
  if (op.has_overlaps)
    s.overlap = [values, n = static_cast<size_t>(limits->count)](int32_t i, int32_t j) {
      return (*values)[static_cast<size_t>(i) * n + static_cast<size_t>(j)];
    };
  else
    s.overlap = [values](int32_t i, int32_t j) {
      return box_overlap(values->data() + int64_t{4} * i, values->data() + int64_t{4} * j);
    };
  return s;
}

Status compute_suppression(Launch& launch, const SuppressionOp& op) {
  auto suppression = read_suppression(launch, op);
  if (!suppression) return suppression.status();
  auto selected = suppression->select();
  auto valid = static_cast<int64_t>(selected.size());
  Shape shape{op.pads ? suppression->limits.most : valid};
  auto indices = launch.allocate(DType::int32, shape);
  if (!indices) return indices.status();
  auto* index = indices->mutable_data<int32_t>();
  std::fill_n(index, shape.elements(), 0);
  for (const auto& box : selected) *index++ = box.index;
  launch.set(0, *std::move(indices));
  if (op.has_sigma) {
    auto scores = launch.allocate(launch.input(1).dtype(), shape);
    if (!scores) return scores.status();
    std::vector<float> values(static_cast<size_t>(shape.elements()));
    std::ranges::transform(selected, values.begin(), &Suppression::Box::score);
    if (scores->dtype() == DType::float32) std::ranges::copy(values, scores->mutable_data<float>());
    else narrow(scores->mutable_data<float16>(), values.data(), shape.elements());
    launch.set(1, *std::move(scores));
  }
  if (op.has_valid_outputs)
    launch.set(op.has_sigma ? 2 : 1, Tensor::scalar(static_cast<int32_t>(valid)));
  return {};
}

KernelCatalog::Make suppression_kernel(const SuppressionOp& op) {
  return [op](const Node& node) -> Result<Kernel> {
    return Kernel{
        .compute = [own = op.of(node)](Launch& launch) { return compute_suppression(launch, own); },
        .cost_ns = [](const Launch& launch) { return 200 * launch.input(1).elements(); }};
  };
}

}  // namespace

SuppressionOp SuppressionOp::of(const Node& node) const {
  auto own = *this;
  if (node.attrs.contains("iou_threshold")) own.fixed_threshold = node.attr<float>("iou_threshold");
  own.pads = has_valid_outputs && node.attr<bool>("pad_to_max_output_size");
  return own;
}

Result<SuppressionLimits> SuppressionLimits::of(const Launch& launch, const SuppressionOp& op) {
  const auto &boxes = launch.input(0), &scores = launch.input(1), &most = launch.input(2);
  auto count = boxes.shape().rank() == 2 ? boxes.shape()[0] : -1;
  if (count < 0 || boxes.shape()[1] != (op.has_overlaps ? count : 4))
    return invalid_argument(
        std::string(
            op.has_overlaps ? "'overlaps' must be a square matrix"
                            : "'boxes' must have the shape [boxes,4]") +
        ", but has the shape " + boxes.shape().to_string());
  if (scores.shape() != Shape{count} || count > std::numeric_limits<int32_t>::max())
    return invalid_argument(
        "there must be a score for each of " + std::to_string(count) + " boxes, but 'scores' has " +
        "the shape " + scores.shape().to_string());
  if (!most.shape().is_scalar() || most.value<int32_t>() < 0)
    return invalid_argument(
        "'max_output_size' must be a scalar that is not negative, but is " + most.to_string());
  SuppressionLimits limits{.count = count, .most = most.value<int32_t>()};
  if (auto status = read_thresholds(launch, op, limits); !status.ok()) return status;
  return limits;
}

void add_suppression_kernels(KernelCatalog& catalog) {
  for_each_suppression_op([&catalog](const char* name, const SuppressionOp& op) {
    catalog.add(name, suppression_kernel(op));
  });
}

}  // namespace troupe::cpu
