// Calls whose rows, columns and lists are longer than a block of threads, so that what its threads
// and blocks hand to each other matters; the recorded calls have few elements.
#include "troupe/tests/cuda/large_calls.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <limits>

#include "troupe/devices/cpu/dispatch.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_FIXTURE_TEST_SUITE(large_calls_on_a_card, ComparedDevices)

BOOST_AUTO_TEST_CASE(reductions_of_long_rows_and_columns) {
  for (auto dtype :
       {DType::float32, DType::float64, DType::float16, DType::int32, DType::complex64,
        DType::complex128})
    for (std::string op : {"Sum", "Max", "Min", "Mean"}) {
      if (is_complex(dtype) && op.starts_with("M") && op != "Mean") continue;
      for (auto [shape, axes] : std::vector<std::pair<Shape, std::vector<int32_t>>>{
               {{3, 40}, {1}},
               {{5, 1025}, {1}},
               {{2, 5000}, {1}},
               {{5000, 3}, {0}},
               {{700, 70}, {0}},
               {{300, 400}, {0}},
               {{4, 300, 6}, {1}},
               {{9, 33, 40}, {0, 2}},
               {{70000}, {0}}})
        compare(
            {.op = op,
             .attrs = {{"T", dtype}, {"Tidx", DType::int32}},
             .inputs = {numbers(dtype, shape, 1), ints(axes)}});
    }
}

BOOST_AUTO_TEST_CASE(places_of_extremes_of_long_rows_and_columns) {
  for (auto dtype : floats)
    for (const char* op : {"ArgMax", "ArgMin"})
      for (int axis : {0, 1})
        for (const auto& shape : {Shape{5, 3000}, Shape{3000, 5}, Shape{40, 17}})
          compare(
              {.op = op,
               .attrs = {{"T", dtype}},
               .inputs = {numbers(dtype, shape, 2, -100, 100), Tensor::scalar<int32_t>(axis)}});
}

BOOST_AUTO_TEST_CASE(scans_of_long_lines) {
  for (auto dtype :
       {DType::float32, DType::float64, DType::int64, DType::complex64, DType::complex128})
    for (bool exclusive : {false, true})
      for (bool reverse : {false, true})
        for (auto [shape, axis] :
             std::vector<std::pair<Shape, int>>{{{3, 1000}, 1}, {{1000, 3}, 0}, {{20, 20, 20}, 1}})
          compare(
              {.op = "Cumsum",
               .attrs = {{"T", dtype}, {"exclusive", exclusive}, {"reverse", reverse}},
               .inputs = {numbers(dtype, shape, 3), Tensor::scalar<int32_t>(axis)}});
}

BOOST_AUTO_TEST_CASE(the_greatest_of_rows_of_any_length) {
  for (auto dtype : {DType::float32, DType::float64, DType::float16, DType::int32, DType::int64})
    for (int64_t length : {1, 2, 31, 1000, 1024, 1025, 5000})
      for (int64_t k : {int64_t{1}, length / 2, length}) {
        auto x = numbers(dtype, {7, length}, 16, -50, 50);
        auto wanted = Tensor::scalar<int32_t>(static_cast<int32_t>(k));
        compare({.op = "TopKV2", .attrs = {{"T", dtype}}, .inputs = {x, wanted}});
        auto n = Tensor::scalar<int32_t>(static_cast<int32_t>(k == length ? k - 1 : k));
        compare({.op = "NthElement", .attrs = {{"T", dtype}}, .inputs = {x, n}});
      }
}

BOOST_AUTO_TEST_CASE(counts_of_many_numbers_in_few_bins_and_many) {
  constexpr DType dtypes[] = {DType::int32, DType::int64, DType::float32, DType::float64};
  for (auto dtype : dtypes)
    for (int bins : {1, 30, 5000}) {
      auto values = numbers(DType::int32, {7, 3000}, 32, 0, bins + 10);
      auto given = Tensor::scalar<int32_t>(bins);
      for (const auto& weights : {numbers(dtype, {0}, 33), numbers(dtype, {7, 3000}, 33)})
        compare({.op = "Bincount", .attrs = {{"T", dtype}}, .inputs = {values, given, weights}});
      auto range = numbers(dtype, {2}, 0, 0, 0);
      cpu::for_dtype(cpu::Types<int32_t, int64_t, float, double>{}, dtype, [&](auto zero) {
        range.mutable_data<decltype(zero)>()[1] = static_cast<decltype(zero)>(bins);
      });
      for (auto count : {DType::int32, DType::int64})
        compare(
            {.op = "HistogramFixedWidth",
             .attrs = {{"T", dtype}, {"dtype", count}},
             .inputs = {numbers(dtype, {20'000}, 34, -5, bins + 5), range, given}});
    }
}

BOOST_AUTO_TEST_CASE(values_between_more_boundaries_than_a_kernel_takes) {
  for (int count : {255, 256, 257, 700}) {
    std::vector<float> boundaries;
    for (int i = 0; i < count; ++i) boundaries.push_back(static_cast<float>(i / 3));
    for (auto dtype : {DType::int32, DType::int64, DType::float32, DType::float64})
      compare(
          {.op = "Bucketize",
           .attrs = {{"T", dtype}, {"boundaries", boundaries}},
           .inputs = {numbers(dtype, {3000}, 35, -10, 300)}});
  }
}

BOOST_AUTO_TEST_CASE(neighbours_of_long_rows) {
  for (auto dtype : {DType::float32, DType::float64, DType::float16, DType::int32, DType::int64}) {
    auto x = numbers(dtype, {4000, 3}, 36, -9, 9), y = numbers(dtype, {4000, 3}, 37, -9, 9);
    compare({.op = "Cross", .attrs = {{"T", dtype}}, .inputs = {x, y}});
    auto rows = numbers(dtype, {70, 160}, 38, -9, 9), threshold = numbers(dtype, {}, 0, 2, 2);
    compare({.op = "CompareAndBitpack", .attrs = {{"T", dtype}}, .inputs = {rows, threshold}});
  }
}

BOOST_AUTO_TEST_CASE(diagonals_of_large_matrices) {
  for (auto dtype : {DType::float32, DType::float64, DType::float16, DType::complex128}) {
    auto diagonal = numbers(dtype, {30, 31}, 39), matrix = numbers(dtype, {30, 31, 30, 31}, 40);
    compare({.op = "Diag", .attrs = {{"T", dtype}}, .inputs = {diagonal}});
    compare({.op = "DiagPart", .attrs = {{"T", dtype}}, .inputs = {matrix}});
  }
}

BOOST_AUTO_TEST_CASE(places_of_what_is_not_zero_among_many) {
  for (const auto& shape : {Shape{0}, Shape{5000}, Shape{4096, 2}, Shape{31, 40, 50}})
    for (auto dtype : {DType::float32, DType::int64, DType::float16})
      compare({.op = "Where", .attrs = {{"T", dtype}}, .inputs = {numbers(dtype, shape, 3)}});
}

BOOST_AUTO_TEST_CASE(numbers_that_are_not_finite_among_many) {
  auto x = numbers(DType::float32, {70'000}, 4);
  auto check = [&] {
    RecordedCall call{
        .op = "CheckNumerics",
        .attrs = {{"T", DType::float32}, {"message", std::string("x")}},
        .inputs = {x}};
    auto expected = run_call(call, cpu), got = run_call(call, card);
    BOOST_TEST(got.status.message() == expected.status.message());
    return got.status.message();
  };
  BOOST_TEST(check() == "");
  x.mutable_data<float>()[69'999] = -std::numeric_limits<float>::infinity();
  BOOST_TEST(check() == "x : Tensor had Inf values");
  x.mutable_data<float>()[1234] = std::numeric_limits<float>::quiet_NaN();
  BOOST_TEST(check() == "x : Tensor had Inf and NaN values");
}

BOOST_AUTO_TEST_CASE(targets_among_the_greatest_of_long_rows) {
  for (int64_t classes : {1, 40, 3000})
    for (int k : {1, 30})
      compare(
          {.op = "InTopKV2",
           .attrs = {{"T", DType::int64}},
           .inputs = {
               numbers(DType::float32, {60, classes}, 17, -500, 500),
               numbers(DType::int64, {60}, 18, 0, static_cast<int>(classes)),
               Tensor::scalar<int64_t>(k)}});
}

BOOST_AUTO_TEST_CASE(samples_of_many_classes) {
  for (auto dtype : floats)
    for (int64_t classes : {1, 10, 256, 1000})
      compare(
          {.op = "StatelessMultinomial",
           .attrs = {{"T", dtype}},
           .inputs = {
               numbers(dtype, {9, classes}, 19, -3, 3), Tensor::scalar<int32_t>(33),
               Tensor::of<int32_t>({2}, {5, static_cast<int32_t>(classes)})}});
}

BOOST_AUTO_TEST_CASE(softmaxes_of_rows_of_any_length) {
  for (auto dtype : floats)
    for (int64_t classes : {1, 7, 32, 33, 200, 1024, 1025, 5000, 9000})
      for (const char* op : {"Softmax", "LogSoftmax", "SoftmaxCrossEntropyWithLogits"}) {
        auto logits = numbers(dtype, {9, classes}, 4, -5, 5);
        Tensors inputs = {logits};
        if (std::string(op).ends_with("Logits"))
          inputs.push_back(numbers(dtype, {9, classes}, 5, 0, 1));
        // The sum of a few thousand exponentials, and in 16 bits its logarithm times their number.
        compare({.op = op, .attrs = {{"T", dtype}}, .inputs = inputs}, 1e-4);
      }
}

BOOST_AUTO_TEST_CASE(softmaxes_of_rows_that_no_block_keeps) {
  for (auto dtype : floats)
    for (int64_t classes : {16'385, 32'768, 32'771})
      for (const char* op : {"Softmax", "LogSoftmax"})
        compare(
            {.op = op,
             .attrs = {{"T", dtype}},
             .inputs = {numbers(dtype, {2, classes}, 43, -5, 5)}},
            1e-4);
}

BOOST_AUTO_TEST_CASE(softmaxes_of_rows_with_infinities_and_nan) {
  constexpr auto infinity = std::numeric_limits<float>::infinity();
  constexpr auto nan = std::numeric_limits<float>::quiet_NaN();
  for (int64_t classes : {3, 130, 1030, 5000, 9001, 33'000}) {
    auto logits = numbers(DType::float32, {7, classes}, 44, -5, 5);
    auto row = [&](int64_t i) { return logits.mutable_data<float>() + i * classes; };
    std::fill_n(row(1), classes, -infinity);
    std::fill_n(row(2), classes - 1, -infinity);      // the last one alone is finite
    std::fill_n(row(3) + 1, classes - 1, -infinity);  // the first one
    row(4)[classes / 2] = infinity;
    row(5)[classes - 1] = nan;
    std::fill_n(row(6), classes, nan);
    for (const char* op : {"Softmax", "LogSoftmax"})
      compare({.op = op, .attrs = {{"T", DType::float32}}, .inputs = {logits}}, 1e-4);
    auto labels = numbers(DType::int64, {7}, 45, 0, static_cast<int>(classes) - 1);
    compare(
        {.op = "SparseSoftmaxCrossEntropyWithLogits",
         .attrs = {{"T", DType::float32}},
         .inputs = {logits, labels}},
        1e-4);
  }
}

BOOST_AUTO_TEST_CASE(sparse_losses_of_rows_of_any_length) {
  for (auto dtype : {DType::float32, DType::float64})
    for (int64_t classes : {1, 31, 200, 1025, 5000})
      compare(
          {.op = "SparseSoftmaxCrossEntropyWithLogits",
           .attrs = {{"T", dtype}},
           .inputs =
               {numbers(dtype, {9, classes}, 6, -5, 5),
                numbers(DType::int64, {9}, 7, 0, static_cast<int>(classes) - 1)}},
          1e-4);
}

BOOST_AUTO_TEST_CASE(transpositions_of_large_matrices) {
  for (auto dtype :
       {DType::float32, DType::float64, DType::float16, DType::complex64, DType::complex128})
    for (auto [shape, order] : std::vector<std::pair<Shape, std::vector<int32_t>>>{
             {{100, 70}, {1, 0}}, {{3, 65, 129}, {0, 2, 1}}, {{33, 4, 65}, {2, 1, 0}}})
      compare(
          {.op = is_complex(dtype) ? "ConjugateTranspose" : "Transpose",
           .attrs = {{"T", dtype}},
           .inputs = {numbers(dtype, shape, 8, -100, 100), ints(order)}});
}

BOOST_AUTO_TEST_CASE(scatters_of_many_updates_of_the_same_rows) {
  for (auto dtype :
       {DType::float32, DType::float64, DType::float16, DType::int32, DType::complex64,
        DType::complex128})
    for (std::string op : {"ResourceScatterAdd", "ResourceScatterMax", "ResourceScatterUpdate"}) {
      if (is_complex(dtype) && op.ends_with("Max")) continue;
      compare(
          {.op = op,
           .attrs = {{"dtype", dtype}, {"Tindices", DType::int32}},
           .variables = {numbers(dtype, {50, 30}, 9)},
           .inputs = {numbers(DType::int32, {400}, 10, 0, 49), numbers(dtype, {400, 30}, 11)}});
    }
}

BOOST_AUTO_TEST_CASE(optimizers_of_rows_that_have_several_gradients) {
  for (auto dtype : {DType::float32, DType::float64})
    for (auto [index, count] :
         {std::pair{DType::int32, 200}, {DType::int32, 600}, {DType::int64, 3000}}) {
      auto scalar = [&](int value) { return numbers(dtype, {}, 0, value, value); };
      compare(
          {.op = "ResourceSparseApplyMomentum",
           .attrs = {{"T", dtype}, {"Tindices", index}, {"use_nesterov", true}},
           .variables = {numbers(dtype, {20, 300}, 12), numbers(dtype, {20, 300}, 13)},
           .inputs = {
               scalar(1), numbers(dtype, {count, 300}, 14), numbers(index, {count}, 15, 0, 19),
               scalar(0)}});
    }
}

BOOST_AUTO_TEST_CASE(gradients_of_tiles_of_many_copies) {
  for (auto dtype : {DType::float32, DType::float64, DType::float16, DType::int32})
    for (auto [shape, multiples] : std::vector<std::pair<Shape, std::vector<int32_t>>>{
             {{5000}, {1000}}, {{300, 40}, {100, 2}}, {{6, 70, 8, 10}, {3, 7, 1, 5}}})
      compare(
          {.op = "TileGrad",
           .attrs = {{"T", dtype}},
           .inputs = {numbers(dtype, shape, 20), ints(multiples)}});
}

BOOST_AUTO_TEST_CASE(positions_of_the_greatest_of_windows) {
  for (auto dtype : {DType::float32, DType::float16, DType::int64})
    for (bool counts_images : {false, true}) {
      Shape shape{2, 30, 21, 5}, output{2, 15, 11, 5};
      auto x = numbers(dtype, shape, 24, -9, 9), dy = numbers(dtype, output, 25);
      Attrs attrs = {
          {"T", dtype},
          {"Targmax", DType::int32},
          {"ksize", std::vector<int64_t>{1, 3, 3, 1}},
          {"strides", std::vector<int64_t>{1, 2, 2, 1}},
          {"padding", "SAME"},
          {"include_batch_in_index", counts_images}};
      compare({.op = "MaxPoolWithArgmax", .attrs = attrs, .inputs = {x}});
      // Of windows, and what no pool makes.
      RecordedCall pool{.where = "pool", .op = "MaxPoolWithArgmax", .attrs = attrs, .inputs = {x}};
      auto of_windows = run_call(pool, cpu).outputs.at(1);
      auto any = numbers(DType::int32, output, 26, 0, 30 * 21 * 5 - 1);
      for (const auto& argmax : {of_windows, any}) {
        compare({.op = "MaxPoolGradWithArgmax", .attrs = attrs, .inputs = {x, dy, argmax}});
        compare({.op = "MaxPoolGradGradWithArgmax", .attrs = attrs, .inputs = {x, x, argmax}});
      }
    }
}

BOOST_AUTO_TEST_CASE(dilations_of_large_images) {
  for (auto dtype : {DType::float32, DType::float64, DType::float16, DType::int32})
    for (int64_t channels : {1, 40}) {
      Shape output{3, 20, 15, channels};
      auto images = numbers(dtype, {3, 40, 30, channels}, 21, -9, 9);
      auto filter = numbers(dtype, {3, 2, channels}, 22, -9, 9), dy = numbers(dtype, output, 23);
      Attrs attrs = {
          {"T", dtype},
          {"strides", std::vector<int64_t>{1, 2, 2, 1}},
          {"rates", std::vector<int64_t>{1, 2, 3, 1}},
          {"padding", "SAME"}};
      compare({.op = "Dilation2D", .attrs = attrs, .inputs = {images, filter}});
      for (const char* op : {"Dilation2DBackpropInput", "Dilation2DBackpropFilter"})
        compare({.op = op, .attrs = attrs, .inputs = {images, filter, dy}});
    }
}

BOOST_AUTO_TEST_CASE(crops_of_large_images_and_their_gradients) {
  Shape shape{3, 40, 50, 20}, output{12, 9, 13, 20};
  auto eighths = numbers(DType::float32, {12, 4}, 27, -2, 10);
  for (int64_t i = 0; i < eighths.elements(); ++i) eighths.mutable_data<float>()[i] /= 8;
  auto indices = numbers(DType::int32, {12}, 28, 0, 2);
  auto dy = numbers(DType::float32, output, 29);
  for (auto dtype : {DType::float32, DType::float64, DType::float16}) {
    auto images = numbers(dtype, shape, 30, -9, 9);
    Tensors of_boxes = {dy, images, eighths, indices};
    compare({.op = "CropAndResizeGradBoxes", .attrs = {{"T", dtype}}, .inputs = of_boxes}, 1e-4);
    for (std::string method : {"bilinear", "nearest"}) {
      Attrs attrs = {{"T", dtype}, {"method", method}};
      Tensors to_images = {dy, eighths, indices, ints({3, 40, 50, 20})};
      compare({.op = "CropAndResizeGradImage", .attrs = attrs, .inputs = to_images});
      attrs["extrapolation_value"] = -7.5f;
      Tensors to_crops = {images, eighths, indices, ints({9, 13})};
      compare({.op = "CropAndResize", .attrs = attrs, .inputs = to_crops});
    }
  }
}

BOOST_AUTO_TEST_CASE(suppressions_of_more_boxes_than_are_compared_at_once) {
  for (auto dtype : {DType::float32, DType::float16})
    for (int64_t count : {63, 64, 65, 4096, 5000}) {
      // Many boxes and scores are equal, and corners are in any order.
      auto boxes = numbers(dtype, {count, 4}, 41, 0, 30),
           scores = numbers(dtype, {count}, 42, 0, 99);
      for (int most : {1, 70, 100'000})
        for (float threshold : {0.1f, 0.9f}) {
          Tensors inputs = {
              boxes, scores, Tensor::scalar<int32_t>(most), Tensor::scalar(threshold),
              Tensor::scalar(2.0f)};
          auto is_padded = most == 70;
          Attrs attrs = {{"T", dtype}, {"pad_to_max_output_size", is_padded}};
          compare({.op = "NonMaxSuppressionV4", .attrs = attrs, .inputs = inputs});
        }
    }
}

BOOST_AUTO_TEST_CASE(soft_suppressions_of_many_boxes) {
  for (auto dtype : {DType::float32, DType::float16})
    for (int64_t count : {5, 700}) {
      auto boxes = numbers(dtype, {count, 4}, 53, 0, 30),
           scores = numbers(dtype, {count}, 54, 0, 99);
      for (int most : {3, 400})
        for (int sigma : {0, 1, 4}) {
          auto one = [&](int value) { return numbers(dtype, {}, 0, value, value); };
          Tensors inputs = {boxes,  scores, Tensor::scalar<int32_t>(most),
                            one(1), one(2), one(sigma)};
          Attrs attrs = {{"T", dtype}, {"pad_to_max_output_size", most == 3}};
          compare({.op = "NonMaxSuppressionV5", .attrs = attrs, .inputs = inputs});
        }
    }
}

BOOST_AUTO_TEST_CASE(suppressions_of_given_overlaps) {
  for (int64_t count : {63, 65, 1000, 4200}) {
    auto overlaps = numbers(DType::float32, {count, count}, 55, 0, 400);
    auto scores = numbers(DType::float32, {count}, 56, 0, 99);
    for (int most : {1, 70, 100'000}) {
      Tensors inputs = {
          overlaps, scores, Tensor::scalar<int32_t>(most), Tensor::scalar(399.0f),
          Tensor::scalar(2.0f)};
      compare({.op = "NonMaxSuppressionWithOverlaps", .inputs = inputs});
    }
  }
}

BOOST_AUTO_TEST_CASE(contrasts_of_large_images) {
  for (auto dtype : {DType::float32, DType::float16})
    for (int64_t channels : {1, 3, 300}) {
      auto images = numbers(dtype, {2, 70, 30, channels}, 31, -9, 9);
      auto factor = Tensor::scalar<float>(1.5f);
      compare({.op = "AdjustContrastv2", .attrs = {{"T", dtype}}, .inputs = {images, factor}});
    }
}

BOOST_AUTO_TEST_SUITE_END()
