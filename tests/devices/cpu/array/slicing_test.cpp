#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(slicing)

const auto matrix = vec({2, 3}, {1, 2, 3, 4, 5, 6});

BOOST_AUTO_TEST_CASE(tensors_are_packed_along_a_new_axis_and_unpacked) {
  auto x = vec({1, 2}), y = vec({3, 4});
  BOOST_TEST(show("Pack", {x, y}) == "float32[2,2] [1 2 3 4]");
  BOOST_TEST(show("Pack", {x, y}, {{"axis", 1}}) == "float32[2,2] [1 3 2 4]");
  BOOST_TEST(show("Pack", {x, y}, {{"axis", -1}}) == "float32[2,2] [1 3 2 4]");
  BOOST_TEST(show("Pack", {Tensor::string("a"), Tensor::string("b")}) == "string[2] [\"a\" \"b\"]");
  BOOST_TEST(starts_with(show("Pack", {x, vec({1})}), "InvalidArgument"));
  BOOST_TEST(starts_with(show("Pack", {x, y}, {{"axis", 2}}), "InvalidArgument"));
  BOOST_TEST(show("Unpack", {matrix}, {{"num", 2}}) == "float32[3] [1 2 3]; float32[3] [4 5 6]");
  BOOST_TEST(
      show("Unpack", {matrix}, {{"num", 3}, {"axis", 1}}) ==
      "float32[2] [1 4]; float32[2] [2 5]; float32[2] [3 6]");
  BOOST_TEST(starts_with(show("Unpack", {matrix}, {{"num", 3}}), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(tensors_are_joined_along_an_axis_that_they_have) {
  auto concat = [](Tensors parts, int32_t axis) {
    parts.push_back(Tensor::scalar(axis));
    return show("ConcatV2", parts);
  };
  BOOST_TEST(concat({vec({1}), vec({2, 3})}, 0) == "float32[3] [1 2 3]");
  BOOST_TEST(concat({matrix, vec({2, 1}, {7, 8})}, 1) == "float32[2,4] [1 2 3 7 4 5 6 8]");
  BOOST_TEST(concat({matrix, vec({2, 1}, {7, 8})}, -1) == "float32[2,4] [1 2 3 7 4 5 6 8]");
  BOOST_TEST(concat({matrix, Tensor::of<float>({0, 3}, {})}, 0) == "float32[2,3] [1 2 3 4 5 6]");
  BOOST_TEST(
      concat({Tensor::of<float>({0, 1}, {}), Tensor::of<float>({0, 2}, {})}, 1) ==
      "float32[0,3] []");
  BOOST_TEST(starts_with(concat({matrix, vec({1, 2})}, 0), "InvalidArgument"));
  BOOST_TEST(starts_with(concat({matrix, vec({2, 1}, {7, 8})}, 0), "InvalidArgument"));
  BOOST_TEST(starts_with(concat({matrix, matrix}, 2), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(slices_are_cut_out) {
  auto slice = [](std::initializer_list<int32_t> begin, std::initializer_list<int32_t> size) {
    return show("Slice", {matrix, vec<int32_t>(begin), vec<int32_t>(size)});
  };
  BOOST_TEST(slice({0, 1}, {2, 2}) == "float32[2,2] [2 3 5 6]");
  BOOST_TEST(slice({1, 0}, {1, -1}) == "float32[1,3] [4 5 6]");
  BOOST_TEST(slice({0, 3}, {2, 0}) == "float32[2,0] []");
  BOOST_TEST(slice({0, 0}, {-1, -1}) == "float32[2,3] [1 2 3 4 5 6]");
  BOOST_TEST(starts_with(slice({0, 2}, {2, 2}), "InvalidArgument"));
  BOOST_TEST(starts_with(slice({-1, 0}, {1, 1}), "InvalidArgument"));
  BOOST_TEST(starts_with(slice({0}, {1}), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(large_parts_whose_elements_are_neighbours_share_them) {
  auto x = varied<float>({2, 8, 1024});
  auto part = [&](const char* op, const Tensors& inputs, const Attrs& attrs, size_t index) {
    auto parts = run_op(op, inputs, attrs);
    BOOST_REQUIRE_MESSAGE(parts.ok(), parts.status().to_string());
    return (*parts)[index];
  };
  auto check = [&](const Tensor& shared, int64_t first) {
    BOOST_TEST(shared.data<float>() == x.data<float>() + first);
    // What writes in place, or keeps it, copies it.
    BOOST_TEST(!shared.is_sole_owner());
    BOOST_TEST(!shared.allocator());
  };
  auto zero = Tensor::scalar<int32_t>(0), one = Tensor::scalar<int32_t>(1);
  check(part("Unpack", {x}, {{"num", 2}}, 1), 8 * 1024);
  check(part("Split", {zero, x}, {{"num_split", 2}}, 1), 8 * 1024);
  check(part("SplitV", {x, vec<int32_t>({1, 1}), zero}, {{"num_split", 2}}, 0), 0);
  check(part("Slice", {x, vec<int32_t>({1, 3, 0}), vec<int32_t>({1, 4, -1})}, {}, 0), 11 * 1024);
  check(
      part(
          "StridedSlice", {x, vec<int32_t>({0, 5}), vec<int32_t>({1, 7}), vec<int32_t>({1, 1})},
          {{"shrink_axis_mask", 1}}, 0),
      5 * 1024);
  BOOST_TEST(x.is_sole_owner());
  auto kept = part("Unpack", {x}, {{"num", 2}}, 1);
  BOOST_TEST(!x.is_sole_owner());
  x = {};
  BOOST_TEST(equal(kept, part("Unpack", {varied<float>({2, 8, 1024})}, {{"num", 2}}, 1)));
  // Others are copied: of several rows, and small ones.
  auto columns = varied<float>({64, 1024});
  BOOST_TEST(part("Split", {one, columns}, {{"num_split", 2}}, 0).is_sole_owner());
  BOOST_TEST(part("Unpack", {varied<float>({4, 1000})}, {{"num", 4}}, 0).is_sole_owner());
}

BOOST_AUTO_TEST_CASE(zeros_are_put_around) {
  auto pad = [](const Tensor& x, std::initializer_list<int64_t> paddings) {
    return show("Pad", {x, vec<int64_t>({x.shape().rank(), 2}, paddings)});
  };
  BOOST_TEST(pad(vec({1, 2}), {1, 2}) == "float32[5] [0 1 2 0 0]");
  BOOST_TEST(pad(matrix, {1, 0, 0, 1}) == "float32[3,4] [0 0 0 0 1 2 3 0 4 5 6 0]");
  BOOST_TEST(pad(Tensor::of<float>({0}, {}), {1, 1}) == "float32[2] [0 0]");
  BOOST_TEST(starts_with(pad(vec({1}), {-1, 0}), "InvalidArgument"));
  BOOST_TEST(starts_with(pad(vec({1}), {INT64_MAX, INT64_MAX}), "InvalidArgument"));
  BOOST_TEST(starts_with(show("Pad", {matrix, vec<int32_t>({1, 2}, {0, 0})}), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(slices_are_gathered_by_their_indices) {
  auto gather = [](const Tensor& x, const Tensor& indices, int32_t axis) {
    return show("GatherV2", {x, indices, Tensor::scalar(axis)});
  };
  BOOST_TEST(gather(vec({10, 20, 30}), vec<int32_t>({2, 0, 2}), 0) == "float32[3] [30 10 30]");
  BOOST_TEST(gather(matrix, vec<int64_t>({2, 0}), 1) == "float32[2,2] [3 1 6 4]");
  BOOST_TEST(gather(matrix, Tensor::scalar<int32_t>(1), 0) == "float32[3] [4 5 6]");
  BOOST_TEST(gather(matrix, Tensor::of<int32_t>({0}, {}), 0) == "float32[0,3] []");
  BOOST_TEST(
      gather(matrix, vec<int32_t>({0, 2}), 0) ==
      "InvalidArgument: index 2 (number 1 of the indices) is not in [0, 2)");
  BOOST_TEST(starts_with(gather(matrix, vec<int32_t>({-1}), 0), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(one_position_of_each_row_is_marked) {
  auto one_hot = [](const Tensor& indices, int32_t depth, int64_t axis = -1) {
    return show(
        "OneHot", {indices, Tensor::scalar(depth), Tensor::scalar(1.0f), Tensor::scalar(0.0f)},
        {{"axis", axis}});
  };
  BOOST_TEST(one_hot(vec<int64_t>({1, 0}), 3) == "float32[2,3] [0 1 0 1 0 0]");
  BOOST_TEST(one_hot(vec<int32_t>({1, 0}), 3, 0) == "float32[3,2] [0 1 1 0 0 0]");
  BOOST_TEST(one_hot(vec<int32_t>({-1, 3}), 3) == "float32[2,3] [0 0 0 0 0 0]");
  BOOST_TEST(one_hot(Tensor::scalar<uint8_t>(2), 3) == "float32[3] [0 0 1]");
  BOOST_TEST(one_hot(vec<int32_t>({0}), 0) == "float32[1,0] []");
  BOOST_TEST(starts_with(one_hot(vec<int32_t>({0}), -1), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(long_rows_of_elements_of_any_size_are_reversed) {
  constexpr int64_t rows = 3, size = 101;
  std::vector<int32_t> numbers(rows * size);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i % 120);
  auto x = Tensor::of<int32_t>({rows, size}, std::span<const int32_t>(numbers));
  for (auto dtype :
       {DType::int8, DType::int16, DType::float32, DType::float64, DType::complex128}) {
    auto typed = run_op("Cast", {x}, {{"DstT", dtype}});
    BOOST_REQUIRE(typed.ok());
    auto reversed = run_op("ReverseV2", {(*typed)[0], vec<int32_t>({1})});
    BOOST_REQUIRE_MESSAGE(reversed.ok(), reversed.status().to_string());
    auto back = run_op("Cast", {(*reversed)[0]}, {{"DstT", DType::int32}});
    BOOST_REQUIRE(back.ok());
    for (int64_t i = 0; i < rows * size; ++i) {
      auto place = i / size * size + size - 1 - i % size;
      BOOST_REQUIRE((*back)[0].data<int32_t>()[i] == numbers[static_cast<size_t>(place)]);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
