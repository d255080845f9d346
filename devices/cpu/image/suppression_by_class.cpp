#include <algorithm>
#include <limits>
#include <vector>

#include "troupe/devices/cpu/image/box_overlap.hpp"
#include "troupe/devices/cpu/image/boxes.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

/// A box that is one of the best of its class.
struct Detection {
  float score;
  int64_t label, box;
};

struct CombinedSuppression {
  const float *boxes, *scores;
  int64_t batch, count;     // of images, of boxes in each
  int64_t labels, corners;  // of classes; those with boxes of their own: all, or 1
  int64_t most_each, most;  // of a class, of all
  float overlap, least;     // the thresholds
  bool pads_per_class, clips;

  /// The detections that there is room for in the results of an image.
  int64_t room() const {
    if (!pads_per_class) return most;
    int64_t all = 0;
    return __builtin_mul_overflow(most_each, labels, &all) ? most : std::min(most, all);
  }

  const float* box_of(int64_t image, const Detection& detection) const {
    auto corner = corners > 1 ? detection.label : 0;
    return boxes + ((image * count + detection.box) * corners + corner) * 4;
  }

  /// Adds the best boxes of a class, best first.
  void select(int64_t image, int64_t label, std::vector<Detection>& detections) const {
    std::vector<Detection> all;
    for (int64_t box = 0; box < count; ++box)
      if (auto score = scores[(image * count + box) * labels + label]; score > least)
        all.push_back({score, label, box});
    std::ranges::stable_sort(all, std::greater(), &Detection::score);
    auto first = detections.size();
    for (const auto& each : all) {
      if (static_cast<int64_t>(detections.size() - first) >= most_each) return;
      auto hides = [&](const Detection& better) {
        return box_overlap(box_of(image, each), box_of(image, better)) > overlap;
      };
      if (std::any_of(detections.begin() + static_cast<int64_t>(first), detections.end(), hides))
        continue;
      detections.push_back(each);
    }
  }

  /// The best of all classes, best first.
  std::vector<Detection> select(int64_t image) const {
    std::vector<Detection> detections;
    if (count == 0) return detections;  // there may be any number of classes
    for (int64_t label = 0; label < labels; ++label) select(image, label, detections);
    std::ranges::stable_sort(detections, std::greater(), &Detection::score);
    if (std::ssize(detections) > room()) detections.resize(static_cast<size_t>(room()));
    return detections;
  }
};

Result<int64_t> size_limit(const Launch& launch, int input, const char* name, int64_t least) {
  auto limit = scalar_input(launch.input(input), name);
  if (!limit || *limit >= least) return limit;
  return invalid_argument(
      std::string("'") + name + "' must be at least " + std::to_string(least) + ", but is " +
      std::to_string(*limit));
}

Result<float> threshold(const Launch& launch, int input, const char* name) {
  const auto& tensor = launch.input(input);
  if (tensor.shape().is_scalar()) return tensor.value<float>();
  return invalid_argument(
      std::string("'") + name + "' must be a scalar, but has the shape " +
      tensor.shape().to_string());
}

Result<CombinedSuppression> read_combined(const Launch& launch, bool pads_per_class, bool clips) {
  const auto &boxes = launch.input(0).shape(), &scores = launch.input(1).shape();
  if (boxes.rank() != 4 || boxes[3] != 4)
    return invalid_argument(
        "'boxes' must have the shape [batch,boxes,classes or 1,4], but has " + boxes.to_string());
  if (scores.rank() != 3 || scores[0] != boxes[0] || scores[1] != boxes[1] ||
      (boxes[2] != 1 && boxes[2] != scores[2]))
    return invalid_argument(
        "'scores' must have the shape [batch,boxes,classes] of the boxes " + boxes.to_string() +
        ", but has " + scores.to_string());
  auto most_each = size_limit(launch, 2, "max_output_size_per_class", 0);
  if (!most_each) return most_each.status();
  auto most = size_limit(launch, 3, "max_total_size", 1);
  if (!most) return most.status();
  auto overlap = threshold(launch, 4, "iou_threshold");
  if (!overlap) return overlap.status();
  auto least = threshold(launch, 5, "score_threshold");
  if (!least) return least.status();
  if (!(*overlap >= 0 && *overlap <= 1))
    return invalid_argument(
        "'iou_threshold' must be in [0, 1], but is " + std::to_string(*overlap));
  return CombinedSuppression{
      .boxes = launch.input(0).data<float>(),
      .scores = launch.input(1).data<float>(),
      .batch = boxes[0],
      .count = boxes[1],
      .labels = scores[2],
      .corners = boxes[2],
      .most_each = *most_each,
      .most = *most,
      .overlap = *overlap,
      .least = *least,
      .pads_per_class = pads_per_class,
      .clips = clips};
}

/// Where the detections of an image go; behind them are zeros.
struct DetectionRow {
  float *boxes, *scores, *labels;
  int32_t* valid;
};

void write_detections(const CombinedSuppression& s, int64_t image, const DetectionRow& to) {
  auto room = s.room();
  std::fill_n(to.boxes, room * 4, 0.0f);
  std::fill_n(to.scores, room, 0.0f);
  std::fill_n(to.labels, room, 0.0f);
  auto detections = s.select(image);
  *to.valid = static_cast<int32_t>(detections.size());
  for (size_t i = 0; i < detections.size(); ++i) {
    const auto* box = s.box_of(image, detections[i]);
    for (size_t side = 0; side < 4; ++side)
      to.boxes[4 * i + side] = s.clips ? std::clamp(box[side], 0.0f, 1.0f) : box[side];
    to.scores[i] = detections[i].score;
    to.labels[i] = static_cast<float>(detections[i].label);
  }
}

Status compute_combined(Launch& launch, bool pads_per_class, bool clips) {
  auto s = read_combined(launch, pads_per_class, clips);
  if (!s) return s.status();
  auto room = s->room();
  const int64_t sizes[] = {s->batch, room, 4};
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  Shape rows{s->batch, room};
  auto boxes = launch.allocate(DType::float32, *shape);
  auto scores = launch.allocate(DType::float32, rows),
       labels = launch.allocate(DType::float32, rows);
  auto valid = launch.allocate(DType::int32, {s->batch});
  for (auto* result : {&boxes, &scores, &labels, &valid})
    if (!*result) return result->status();
  auto *to_boxes = boxes->mutable_data<float>(), *to_scores = scores->mutable_data<float>();
  auto* to_labels = labels->mutable_data<float>();
  auto* to_valid = valid->mutable_data<int32_t>();
  parallel_ranges(s->batch, s->count * s->labels * 64, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i)
      write_detections(
          *s, i,
          {to_boxes + i * room * 4, to_scores + i * room, to_labels + i * room, to_valid + i});
  });
  launch.set(0, *std::move(boxes));
  launch.set(1, *std::move(scores));
  launch.set(2, *std::move(labels));
  launch.set(3, *std::move(valid));
  return {};
}

}  // namespace

void add_combined_suppression_kernels(KernelCatalog& catalog) {
  catalog.add("CombinedNonMaxSuppression", [](const Node& node) -> Result<Kernel> {
    auto pads_per_class = node.attr<bool>("pad_per_class"), clips = node.attr<bool>("clip_boxes");
    return Kernel{
        .compute = [=](Launch& launch) { return compute_combined(launch, pads_per_class, clips); },
        .cost_ns = [](const Launch& launch) { return 200 * launch.input(1).elements(); }};
  });
}

}  // namespace troupe::cpu
