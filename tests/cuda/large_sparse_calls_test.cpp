#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/tests/cuda/large_calls.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Indices [count, 2] in a matrix of that shape: several in one place, in any order, or all in
/// different ones, in theirs.
Tensor places(DType dtype, int64_t count, const Shape& shape, bool in_order) {
  std::mt19937 random(41);
  std::vector<int64_t> all(static_cast<size_t>(shape.elements()));
  std::iota(all.begin(), all.end(), int64_t{0});
  std::ranges::shuffle(all, random);
  all.resize(static_cast<size_t>(count));
  if (in_order) std::ranges::sort(all);
  else
    for (size_t i = 3; i < all.size(); i += 3) all[i] = all[i - 2];
  auto made = *Tensor::allocate(dtype, {count, 2});
  cpu::for_dtype(cpu::Indices{}, dtype, [&](auto zero) {
    using I = decltype(zero);
    auto* to = made.mutable_data<I>();
    for (auto place : all) {
      *to++ = static_cast<I>(place / shape[1]);
      *to++ = static_cast<I>(place % shape[1]);
    }
  });
  return made;
}

Tensor sizes(DType dtype, const Shape& shape) {
  auto made = numbers(dtype, {2}, 0);
  cpu::for_dtype(cpu::Indices{}, dtype, [&](auto zero) {
    using I = decltype(zero);
    for (int i = 0; i < 2; ++i) made.mutable_data<I>()[i] = static_cast<I>(shape[i]);
  });
  return made;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(large_sparse_calls_on_a_card, ComparedDevices)

BOOST_AUTO_TEST_CASE(products_of_matrices_with_many_entries) {
  for (auto dtype :
       {DType::float32, DType::float64, DType::float16, DType::int32, DType::complex64})
    for (bool adjoint_a : {false, true})
      for (bool adjoint_b : {false, true})
        for (auto [shape, columns] : std::vector<std::pair<Shape, int64_t>>{
                 {{60, 50}, 40}, {{1, 2500}, 3}, {{900, 7}, 1}}) {
          auto count = std::min<int64_t>(2000, shape.elements() / 2);
          Attrs attrs = {
              {"T", dtype},
              {"Tindices", DType::int64},
              {"adjoint_a", adjoint_a},
              {"adjoint_b", adjoint_b}};
          auto inner = shape[adjoint_a ? 0 : 1];
          auto b = numbers(dtype, adjoint_b ? Shape{columns, inner} : Shape{inner, columns}, 42);
          for (bool in_order : {false, true})
            compare(
                {.op = "SparseTensorDenseMatMul",
                 .attrs = attrs,
                 .inputs = {
                     places(DType::int64, count, shape, in_order), numbers(dtype, {count}, 43),
                     sizes(DType::int64, shape), b}});
        }
}

BOOST_AUTO_TEST_CASE(dense_tensors_of_many_entries) {
  Shape shape{90, 70};
  for (auto dtype : {DType::float32, DType::float64, DType::float16, DType::int64})
    for (auto index : {DType::int32, DType::int64})
      for (bool in_order : {false, true})
        for (const auto& values : {numbers(dtype, {3000}, 44, -99, 99), numbers(dtype, {}, 44)})
          compare(
              {.op = "SparseToDense",
               .attrs = {{"T", dtype}, {"Tindices", index}, {"validate_indices", in_order}},
               .inputs = {
                   places(index, 3000, shape, in_order), sizes(index, shape), values,
                   numbers(dtype, {}, 45, 7, 7)}});
}

BOOST_AUTO_TEST_CASE(indices_that_are_not_in_order_are_named) {
  Shape shape{90, 70};
  auto indices = places(DType::int64, 3000, shape, /*in_order=*/true);
  auto* at = indices.mutable_data<int64_t>();
  auto check = [&] {
    RecordedCall call{
        .op = "SparseToDense",
        .attrs = {{"T", DType::float32}, {"Tindices", DType::int64}},
        .inputs = {
            indices, sizes(DType::int64, shape), numbers(DType::float32, {3000}, 46),
            numbers(DType::float32, {}, 47)}};
    auto expected = run_call(call, cpu), got = run_call(call, card);
    BOOST_TEST(got.status.message() == expected.status.message());
    return got.status.message();
  };
  BOOST_TEST(check() == "");
  std::swap(at[2 * 2000], at[2 * 2900]);
  BOOST_TEST(check().find("out of order") != std::string::npos);
  std::copy_n(at + 2 * 100, 2, at + 2 * 101);
  BOOST_TEST(check().find("(number 101 of the indices) is repeated") != std::string::npos);
  at[2 * 2950 + 1] = 70;
  at[2 * 2960] = -1;
  BOOST_TEST(check().find("(number 2950 of the indices) does not lie") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(entries_outside_of_a_tensor_are_passed_over) {
  auto indices = Tensor::of<int64_t>({4, 2}, {0, 1, 2, 0, -1, 1, 1, 2});
  auto values = Tensor::of<float>({4}, {1, 2, 3, 4}), shape = Tensor::of<int64_t>({2}, {2, 2});
  auto run = [&](RecordedCall call) {
    auto got = run_call(call, card);
    BOOST_TEST_REQUIRE(got.status.ok(), got.status.to_string());
    return got.outputs.at(0).to_string();
  };
  BOOST_TEST(
      run(
          {.op = "SparseToDense",
           .attrs =
               {{"T", DType::float32}, {"Tindices", DType::int64}, {"validate_indices", false}},
           .inputs = {indices, shape, values, Tensor::scalar<float>(9)}}) ==
      "float32[2,2] [9 1 9 9]");
  BOOST_TEST(
      run(
          {.op = "SparseTensorDenseMatMul",
           .attrs = {{"T", DType::float32}, {"Tindices", DType::int64}},
           .inputs = {indices, values, shape, Tensor::of<float>({2, 1}, {5, 6})}}) ==
      "float32[2,1] [6 0]");
}

BOOST_AUTO_TEST_CASE(coordinates_of_many_elements) {
  auto tensor = []<class I>(std::vector<I> values) {
    return Tensor::of<I>({std::ssize(values)}, std::span<const I>(values));
  };
  std::mt19937_64 random(59);
  auto check = [&]<class I>(std::vector<I> sizes) {
    uint64_t elements = 1;
    for (auto size : sizes) elements *= static_cast<uint64_t>(size);
    std::vector<I> indices{0, static_cast<I>(elements - 1)};
    while (indices.size() < 3000) indices.push_back(static_cast<I>(random() % elements));
    compare(
        {.op = "UnravelIndex",
         .attrs = {{"Tidx", dtype_of<I>()}},
         .inputs = {tensor(indices), tensor(sizes)}});
  };
  check(std::vector<int32_t>{70, 1, 90, 3});
  check(std::vector<int32_t>{1, 40'000, 50'000, 1});
  check(std::vector<int64_t>{1, 40'000, 50'000});
  check(std::vector<int64_t>{5'000, 9'000'000, 1, 7});
  check(std::vector<int64_t>(62, 2));
}

BOOST_AUTO_TEST_CASE(elements_that_are_not_there_have_coordinates_of_minus_one) {
  auto got = run_call(
      {.op = "UnravelIndex",
       .attrs = {{"Tidx", DType::int32}},
       .inputs = {ints({-1, 5, 6, 9}), ints({2, 3})}},
      card);
  BOOST_TEST_REQUIRE(got.status.ok(), got.status.to_string());
  BOOST_TEST(got.outputs.at(0).to_string() == "int32[2,4] [-1 1 -1 -1 -1 2 -1 -1]");
}

// What gradients of slices are added up by.

BOOST_AUTO_TEST_CASE(distinct_elements_of_long_vectors) {
  for (auto dtype : {DType::float32, DType::float64, DType::float16, DType::int32, DType::int64})
    for (auto index : {DType::int32, DType::int64})
      for (int64_t count : {0, 1, 300, 4096, 20'000})
        for (int most : {0, 40, 2000}) {
          auto x = numbers(dtype, {count}, 57, -most, most);
          Attrs attrs = {{"T", dtype}, {"out_idx", index}};
          for (const char* op : {"Unique", "UniqueWithCounts"})
            compare({.op = op, .attrs = attrs, .inputs = {x}});
        }
}

BOOST_AUTO_TEST_CASE(distinct_slices_of_large_tensors) {
  auto check = [&](DType dtype, const Shape& shape, std::vector<int32_t> axis, int most) {
    auto x = numbers(dtype, shape, 60, 0, most);
    Attrs attrs = {{"T", dtype}, {"Taxis", DType::int32}};
    for (const char* op : {"UniqueV2", "UniqueWithCountsV2"})
      compare({.op = op, .attrs = attrs, .inputs = {x, ints(axis)}});
  };
  for (auto dtype :
       {DType::float32, DType::float64, DType::bfloat16, DType::int64, DType::complex64}) {
    check(dtype, {3000, 3}, {0}, 7);
    check(dtype, {3, 3000}, {-1}, 9);
    check(dtype, {2, 500, 2}, {1}, 3);
    check(dtype, {40, 40}, {0}, 0);
    check(dtype, {5000}, {}, 2000);
    check(dtype, {1, 5000, 1}, {1}, 2000);
    check(dtype, {30, 0}, {0}, 1);
  }
  for (int64_t size : {31, 32, 1024, 1025}) {
    // Rows that differ in one element, and are there several times.
    auto x = *Tensor::allocate(DType::float32, {60, size});
    for (int64_t i = 0; i < 60 * size; ++i)
      x.mutable_data<float>()[i] = i / size % 13 * 7 % size == i % size ? 1 : 0;
    compare(
        {.op = "UniqueWithCountsV2",
         .attrs = {{"T", DType::float32}, {"Taxis", DType::int32}},
         .inputs = {x, ints({0})}});
  }
}

BOOST_AUTO_TEST_CASE(differences_of_long_lists) {
  for (auto dtype : {DType::float32, DType::float16, DType::uint8, DType::int64, DType::complex128})
    for (auto index : {DType::int32, DType::int64})
      for (auto [count, most] : {std::pair{0, 9}, {40, 9}, {9000, 9}, {9000, 100}}) {
        auto x = numbers(dtype, {count}, 61, 0, most);
        for (int64_t others : {0, 60, 5000})
          compare(
              {.op = "ListDiff",
               .attrs = {{"T", dtype}, {"out_idx", index}},
               .inputs = {x, numbers(dtype, {others}, 62, 0, most * 3 / 4)}});
      }
}

BOOST_AUTO_TEST_CASE(rows_that_are_changed_in_their_order) {
  for (auto dtype : {DType::float32, DType::bfloat16, DType::uint8, DType::int64, DType::complex64})
    for (auto [rows, size] : {std::pair<int64_t, int64_t>{1, 5}, {90, 7}, {5000, 1}, {40, 0}})
      for (int64_t count : {0, 1, 300, 3000}) {
        auto x = numbers(dtype, {rows, size}, 63, 0, 60), by = numbers(dtype, {count, size}, 64);
        auto at = numbers(DType::int32, {count}, 65, -150, 150);
        for (const char* op : {"InplaceUpdate", "InplaceAdd", "InplaceSub"})
          compare({.op = op, .attrs = {{"T", dtype}}, .inputs = {x, at, by}});
      }
}

BOOST_AUTO_TEST_CASE(each_nan_is_distinct_and_both_zeros_are_equal) {
  auto x = numbers(DType::float32, {5000}, 58, -2, 2);
  for (int64_t i = 0; i < 5000; ++i) {
    auto& element = x.mutable_data<float>()[i];
    if (i % 7 == 3) element = std::numeric_limits<float>::quiet_NaN();
    else if (i % 7 == 5) element = -0.0f;
  }
  compare({.op = "UniqueWithCounts", .attrs = {{"T", DType::float32}}, .inputs = {x}});
  compare(
      {.op = "UniqueWithCountsV2",
       .attrs = {{"T", DType::float32}, {"Taxis", DType::int32}},
       .inputs = {x.reshaped({2500, 2}), ints({0})}});
  compare({.op = "ListDiff", .attrs = {{"T", DType::float32}}, .inputs = {x, x}});
}

BOOST_AUTO_TEST_SUITE_END()
