#include <algorithm>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

const DTypes& box_dtypes() {
  static const DTypes dtypes{DType::float16, DType::float32};
  return dtypes;
}

/// Fails unless input 0 may have `columns` columns (0: as many as rows) and a row for each score,
/// and the inputs behind them may be scalars.
Status check_suppression(const ShapeInference& s, int64_t columns) {
  auto boxes = s.input(0).merge({Shape::unknown, columns == 0 ? Shape::unknown : columns});
  if (!boxes) return boxes.status();
  auto scores = s.input(1).merge({(*boxes)[0]});
  if (!scores) return scores.status();
  auto rows = (*scores)[0], width = (*boxes)[1];
  if (columns == 0 && rows != Shape::unknown && width != Shape::unknown && rows != width)
    return invalid_argument("'overlaps' must be a square matrix, not " + boxes->to_string());
  for (int i = 2; i < s.input_count(); ++i)
    if (auto status = s.need_rank(i, 0); !status.ok()) return status;
  return {};
}

Status infer_suppression(ShapeInference& s) {
  if (auto status = check_suppression(s, 4); !status.ok()) return status;
  s.set(0, {Shape::unknown});
  return {};
}

/// Of the ops that can pad their first outputs; the last one says how many are valid.
Op::InferShape infer_padded_suppression(int valid) {
  return [valid](ShapeInference& s) -> Status {
    if (auto status = check_suppression(s, 4); !status.ok()) return status;
    auto count = Shape::unknown;
    if (auto most = s.constant_ints(2); most && s.attr<bool>("pad_to_max_output_size")) {
      count = (*most)[0];
      if (count < 0)
        return invalid_argument(
            "'max_output_size' must not be negative, but is " + std::to_string(count));
    }
    for (int i = 0; i < valid; ++i) s.set(i, {count});
    s.set(valid, Shape());
    return {};
  };
}

/// The inputs and attributes of the ops from version 2 on, but for thresholds.
Op suppression(const char* name) {
  return Op(name)
      .input("boxes", "T")
      .input("scores", "T")
      .input("max_output_size", DType::int32)
      .attr("T", box_dtypes(), DType::float32);
}

Op thresholded_suppression(const char* name) {
  return suppression(name)
      .input("iou_threshold", "T_threshold")
      .attr("T_threshold", box_dtypes(), DType::float32);
}

/// The shape of the scores, [batch, boxes, classes], that go with the boxes.
Result<Shape> combined_scores(const ShapeInference& s) {
  auto boxes = s.input(0).merge({Shape::unknown, Shape::unknown, Shape::unknown, 4});
  if (!boxes)
    return invalid_argument(
        "'boxes' must have the shape [batch,boxes,classes or 1,4], but has " +
        s.input(0).to_string());
  auto scores = s.input(1).merge({(*boxes)[0], (*boxes)[1], Shape::unknown});
  auto corners = (*boxes)[2];
  if (scores && corners != 1) scores = scores->merge({Shape::unknown, Shape::unknown, corners});
  if (scores) return scores;
  return invalid_argument(
      "'scores' must have the shape [batch,boxes,classes] of the boxes " + boxes->to_string() +
      ", but has " + s.input(1).to_string());
}

Status infer_combined_suppression(ShapeInference& s) {
  auto scores = combined_scores(s);
  if (!scores) return scores.status();
  for (int i = 2; i < s.input_count(); ++i)
    if (auto status = s.need_rank(i, 0); !status.ok()) return status;
  auto count = Shape::unknown, classes = (*scores)[2];
  auto most = s.constant_ints(3), most_each = s.constant_ints(2);
  auto pads_per_class = s.attr<bool>("pad_per_class");
  if (most && !pads_per_class) count = std::max<int64_t>(0, (*most)[0]);
  int64_t all = 0;
  if (most && most_each && pads_per_class && classes != Shape::unknown)
    count = __builtin_mul_overflow((*most_each)[0], classes, &all)
                ? (*most)[0]
                : std::min((*most)[0], all);
  auto batch = (*scores)[0];
  s.set(0, {batch, count < 0 ? Shape::unknown : count, 4});
  for (int i : {1, 2}) s.set(i, {batch, count < 0 ? Shape::unknown : count});
  s.set(3, {batch});
  return {};
}

void add_combined_suppression(OpCatalog& catalog) {
  catalog.add(Op("CombinedNonMaxSuppression")
      .doc("The best boxes of each class, as of NonMaxSuppressionV3, and of them the best ones of "
           "all classes, for each image: boxes, scores and classes, padded with zeros to "
           "max_total_size, and how many of them count. Boxes are [batch, boxes, classes, 4], or "
           "with 1 in the place of classes the same for all.")
      .input("boxes", DType::float32)
      .input("scores", DType::float32)
      .input("max_output_size_per_class", DType::int32)
      .input("max_total_size", DType::int32)
      .input("iou_threshold", DType::float32)
      .input("score_threshold", DType::float32)
      .output("nmsed_boxes", DType::float32)
      .output("nmsed_scores", DType::float32)
      .output("nmsed_classes", DType::float32)
      .output("valid_detections", DType::int32)
      .attr("pad_per_class", false)
      .attr("clip_boxes", true)
      .infer_shape(infer_combined_suppression)
      .gradient(not_differentiable));
}

void add_suppression_ops(OpCatalog& catalog) {
  catalog.add(Op("NonMaxSuppression")
      .doc("The indices of the boxes [y1, x1, y2, x2] with the best scores, best first, of those "
           "that overlap no better one by more than `iou_threshold` of their union.")
      .input("boxes", DType::float32)
      .input("scores", DType::float32)
      .input("max_output_size", DType::int32)
      .output("selected_indices", DType::int32)
      .attr("iou_threshold", 0.5f)
      .infer_shape(infer_suppression)
      .gradient(not_differentiable));
  catalog.add(thresholded_suppression("NonMaxSuppressionV2")
      .doc("As NonMaxSuppression, with the threshold as a tensor.")
      .output("selected_indices", DType::int32)
      .infer_shape(infer_suppression)
      .gradient(not_differentiable));
  catalog.add(thresholded_suppression("NonMaxSuppressionV3")
      .doc("As NonMaxSuppressionV2, of boxes with scores above `score_threshold` only.")
      .input("score_threshold", "T_threshold")
      .output("selected_indices", DType::int32)
      .infer_shape(infer_suppression)
      .gradient(not_differentiable));
  catalog.add(thresholded_suppression("NonMaxSuppressionV4")
      .doc("As NonMaxSuppressionV3; the indices may be padded with zeros to max_output_size, and "
           "`valid_outputs` of them count.")
      .input("score_threshold", "T_threshold")
      .output("selected_indices", DType::int32)
      .output("valid_outputs", DType::int32)
      .attr("pad_to_max_output_size", false)
      .infer_shape(infer_padded_suppression(1))
      .gradient(not_differentiable));
  catalog.add(suppression("NonMaxSuppressionV5")
      .doc("As NonMaxSuppressionV4, with the scores of the boxes; where `soft_nms_sigma` is above "
           "0, better boxes lower the scores of those that they overlap.")
      .input("iou_threshold", "T")
      .input("score_threshold", "T")
      .input("soft_nms_sigma", "T")
      .output("selected_indices", DType::int32)
      .output("selected_scores", "T")
      .output("valid_outputs", DType::int32)
      .attr("pad_to_max_output_size", false)
      .infer_shape(infer_padded_suppression(2)));
  catalog.add(Op("NonMaxSuppressionWithOverlaps")
      .doc("As NonMaxSuppressionV3, with how far any two boxes overlap as a square matrix.")
      .input("overlaps", DType::float32)
      .input("scores", DType::float32)
      .input("max_output_size", DType::int32)
      .input("overlap_threshold", DType::float32)
      .input("score_threshold", DType::float32)
      .output("selected_indices", DType::int32)
      .infer_shape([](ShapeInference& s) -> Status {
        if (auto status = check_suppression(s, 0); !status.ok()) return status;
        s.set(0, {Shape::unknown});
        return {};
      })
      .gradient(not_differentiable));
}

Status infer_drawn(ShapeInference& s) {
  auto images = s.input(0).merge(Shape::of_rank(4));
  if (!images) return images.status();
  auto channels = (*images)[3];
  if (channels != Shape::unknown && channels != 1 && channels != 3 && channels != 4)
    return invalid_argument(
        "'images' must have 1, 3 or 4 channels, but have the shape " + images->to_string());
  if (auto boxes = s.input(1).merge({(*images)[0], Shape::unknown, 4}); !boxes)
    return boxes.status();
  s.set(0, *images);
  return s.input_count() > 2 ? s.need_rank(2, 2) : Status();
}

void add_drawing_ops(OpCatalog& catalog) {
  auto draw = [](const char* name) {
    return Op(name).input("images", "T").input("boxes", DType::float32);
  };
  catalog.add(draw("DrawBoundingBoxes")
      .doc("Images [batch, height, width, channels] with boxes [y1, x1, y2, x2], where 1 is the "
           "last pixel, drawn on each as lines of one pixel.")
      .output("output", "T")
      .attr("T", box_dtypes(), DType::float32)
      .infer_shape(infer_drawn)
      .gradient(not_differentiable));
  catalog.add(draw("DrawBoundingBoxesV2")
      .doc("As DrawBoundingBoxes, with the colours of the boxes, one after the other, in `colors`.")
      .input("colors", DType::float32)
      .output("output", "T")
      .attr("T", box_dtypes(), DType::float32)
      .infer_shape(infer_drawn)
      .gradient(not_differentiable));
}

Op distorted_box(Op op) {
  return std::move(op)
      .output("begin", "T")
      .output("size", "T")
      .output("bboxes", DType::float32)
      .attr("T", {DType::uint8, DType::int8, DType::int16, DType::int32, DType::int64})
      .attr("seed", 0)
      .attr("seed2", 0)
      .attr("aspect_ratio_range", std::vector<float>{0.75f, 1.33f})
      .attr("area_range", std::vector<float>{0.05f, 1.0f})
      .attr("max_attempts", 100)
      .attr("use_image_if_no_bounding_boxes", false)
      .infer_shape([](ShapeInference& s) -> Status {
        if (auto size = s.input(0).merge({3}); !size) return size.status();
        auto boxes = s.input(1).merge({Shape::unknown, Shape::unknown, 4});
        if (!boxes) return boxes.status();
        s.set(0, {3});
        s.set(1, {3});
        s.set(2, {1, 1, 4});
        return s.input_count() > 2 ? s.need_rank(2, 0) : Status();
      })
      .gradient(not_differentiable)
      .stateful();
}

void add_matching_ops(OpCatalog& catalog) {
  catalog.add(Op("BipartiteMatch")
      .doc("Matches rows and columns of distances, the nearest first, each at most once: the "
           "column of each row, and the row of each column, or -1. Rows from `num_valid_rows` on "
           "get none, unless that is negative; at most `top_k` are matched, if that is positive.")
      .input("distance_mat", DType::float32)
      .input("num_valid_rows", DType::float32)
      .output("row_to_col_match_indices", DType::int32)
      .output("col_to_row_match_indices", DType::int32)
      .attr("top_k", -1)
      .infer_shape([](ShapeInference& s) {
        auto status = s.need_rank(0, 2);
        auto distances = s.input(0).has_rank() ? s.input(0) : Shape::of_rank(2);
        if (status.ok()) s.set(0, {distances[0]});
        if (status.ok()) s.set(1, {distances[1]});
        return status;
      })
      .gradient(not_differentiable)
      .stateful());
}

void add_sampling_ops(OpCatalog& catalog) {
  catalog.add(
      distorted_box(Op("SampleDistortedBoundingBox")
          .input("image_size", "T")
          .input("bounding_boxes", DType::float32))
      .doc("A random part of an image that contains at least the share `min_object_covered` of "
           "one of its objects, to be cut out by Slice: an area and an aspect ratio within those "
           "ranges, or the whole image if none is found.")
      .attr("min_object_covered", 0.1f));
  catalog.add(
      distorted_box(Op("SampleDistortedBoundingBoxV2")
          .input("image_size", "T")
          .input("bounding_boxes", DType::float32)
          .input("min_object_covered", DType::float32))
      .doc("As SampleDistortedBoundingBox, with the share as a tensor."));
  catalog.add(Op("ExtractGlimpse")
      .doc("A window of the height and width `size` of each image, around its row of `offsets` "
           "(y, x): from -1 to 1 if normalized and centered, where 0 is the middle. What lies "
           "outside of the image is noise.")
      .input("input", DType::float32)
      .input("size", DType::int32)
      .input("offsets", DType::float32)
      .output("glimpse", DType::float32)
      .attr("centered", true)
      .attr("normalized", true)
      .attr("uniform_noise", true)
      .attr("noise", "uniform")
      .infer_shape([](ShapeInference& s) -> Status {
        auto images = s.input(0).merge(Shape::of_rank(4));
        if (!images) return images.status();
        auto offsets = s.input(2).merge({(*images)[0], 2});
        if (!offsets) return offsets.status();
        if (auto size = s.input(1).merge({2}); !size) return size.status();
        Shape shape{(*offsets)[0], Shape::unknown, Shape::unknown, (*images)[3]};
        if (auto sizes = s.constant_ints(1))
          for (int i = 0; i < 2; ++i) {
            auto value = (*sizes)[static_cast<size_t>(i)];
            if (value < 0)
              return invalid_argument("'size' must not be negative, but has " +
                                      std::to_string(value));
            shape.set(1 + i, value);
          }
        s.set(0, shape);
        return {};
      })
      .gradient(not_differentiable));
}

}  // namespace

void add_boxes_ops(OpCatalog& catalog) {
  add_suppression_ops(catalog);
  add_combined_suppression(catalog);
  add_drawing_ops(catalog);
  add_matching_ops(catalog);
  add_sampling_ops(catalog);
}

}  // namespace troupe
