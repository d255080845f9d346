#include "troupe/tests/devices/cpu/data/dataset_fixture.hpp"

namespace troupe::testing {

BOOST_FIXTURE_TEST_SUITE(dataset_arrangement, DatasetFixture)

BOOST_AUTO_TEST_CASE(a_repeated_dataset_begins_anew_so_often_or_without_end) {
  BOOST_TEST(numbers(repeat(range(2), 3)) == "0 1 0 1 0 1");
  BOOST_TEST(numbers(repeat(range(2), 0)) == "");
  BOOST_TEST(numbers(repeat(range(2), -1), 5) == "0 1 0 1 0 ...");
  BOOST_TEST(numbers(repeat(range(0), -1)) == "");
}

BOOST_AUTO_TEST_CASE(take_and_skip_divide_the_elements) {
  auto with_count = [&](const char* op, int64_t count) {
    return numbers(dataset(op, {range(5), number(count)}));
  };
  BOOST_TEST(with_count("TakeDataset", 2) == "0 1");
  BOOST_TEST(with_count("TakeDataset", 9) == "0 1 2 3 4");
  BOOST_TEST(with_count("TakeDataset", -1) == "0 1 2 3 4");
  BOOST_TEST(with_count("TakeDataset", 0) == "");
  BOOST_TEST(with_count("SkipDataset", 2) == "2 3 4");
  BOOST_TEST(with_count("SkipDataset", 0) == "0 1 2 3 4");
  BOOST_TEST(with_count("SkipDataset", 9) == "");
  BOOST_TEST(with_count("SkipDataset", -1) == "");
}

BOOST_AUTO_TEST_CASE(a_shard_has_every_so_many_elements) {
  auto shard = [&](int64_t count, int64_t index, bool needs_one = false) {
    return numbers(dataset(
        "ShardDataset", {range(5), number(count), number(index)},
        {{"require_non_empty", needs_one}}));
  };
  BOOST_TEST(shard(2, 0) == "0 2 4");
  BOOST_TEST(shard(2, 1) == "1 3");
  BOOST_TEST(shard(7, 6) == "");
  BOOST_TEST(starts_with(shard(7, 6, true), "InvalidArgument: There aren't enough elements"));
  BOOST_TEST(
      shard(0, 0) ==
      "InvalidArgument: Number of shards must be greater than zero (currently num_shards = 0).");
  BOOST_TEST(
      shard(2, 2) == "InvalidArgument: Index must be between 0 and 1 (currently index = 2).");
}

BOOST_AUTO_TEST_CASE(zipped_datasets_end_with_the_shortest) {
  Attrs components{
      {"output_types", DTypes{DType::int64, DType::int64}},
      {"output_shapes", Shapes{Shape(), Shape()}}};
  auto zip = dataset("ZipDataset", {range(2), repeat(range(1), 5)}, {}, components);
  BOOST_TEST(all(zip, components) == "int64[] [0]; int64[] [0] | int64[] [1]; int64[] [0]");
}

BOOST_AUTO_TEST_CASE(concatenated_datasets_follow_each_other) {
  BOOST_TEST(numbers(dataset("ConcatenateDataset", {range(2), range(3)})) == "0 1 0 1 2");
  auto other = slices(vec<float>({1}));
  BOOST_TEST(
      all(dataset("ConcatenateDataset", {range(2), other})) ==
      "InvalidArgument: Data type mismatch at component 0: expected int64 but got float32.");
}

BOOST_AUTO_TEST_CASE(a_batch_stacks_elements_and_the_rest_is_kept_or_dropped) {
  auto rows = elements(DType::int64, {Shape::unknown});
  auto batch = dataset("BatchDatasetV2", {range(5), number(2), flag(false)}, {}, rows);
  BOOST_TEST(all(batch, rows) == "int64[2] [0 1] | int64[2] [2 3] | int64[1] [4]");
  auto whole = dataset("BatchDatasetV2", {range(5), number(2), flag(true)}, {}, rows);
  BOOST_TEST(all(whole, rows) == "int64[2] [0 1] | int64[2] [2 3]");
  auto old = dataset("BatchDataset", {range(3), number(2)}, {}, rows);
  BOOST_TEST(all(old, rows) == "int64[2] [0 1] | int64[1] [2]");
  auto texts = elements(DType::string, {Shape::unknown});
  auto strings = slices(Tensor::of<std::string>({2}, {"a", "b"}));
  BOOST_TEST(
      all(dataset("BatchDataset", {strings, number(9)}, {}, texts), texts) ==
      "string[2] [\"a\" \"b\"]");
  BOOST_TEST(
      all(dataset("BatchDataset", {range(5), number(0)}, {}, rows), rows) ==
      "InvalidArgument: Batch size must be greater than zero.");
}

struct PaddingFixture : DatasetFixture {
  /// [], [1], [2 2] ...
  Value triangle(int64_t rows) const {
    auto f = function("row", [](const Builder& f, const Values& in) {
      auto shape = f.op("Pack", {in[0]}, {{"axis", int64_t{0}}});
      return Values{f.op("Fill", {shape, in[0]})};
    });
    return dataset(
        "MapDataset", {range(rows)}, {{"f", f}, {"Targuments", DTypes()}},
        elements(DType::int64, {Shape::unknown}));
  }
  std::string padded(const char* op, int64_t size, const Values& more = {}) {
    Values inputs = {triangle(4), number(3), b.constant(vec<int64_t>({size})), number(-1)};
    inputs.insert(inputs.end(), more.begin(), more.end());
    Shapes shapes{{Shape::unknown, Shape::unknown}};
    auto batch = b.op(
        op, inputs,
        {{"Toutput_types", DTypes{DType::int64}}, {"output_shapes", shapes}, {"N", int64_t{1}}});
    return all(batch, elements(DType::int64, shapes[0]));
  }
};

BOOST_FIXTURE_TEST_CASE(elements_are_padded_to_the_largest_or_to_a_size, PaddingFixture) {
  BOOST_TEST(
      padded("PaddedBatchDataset", -1) == "int64[3,2] [-1 -1 1 -1 2 2] | int64[1,3] [3 3 3]");
  BOOST_TEST(padded("PaddedBatchDatasetV2", -1, {flag(true)}) == "int64[3,2] [-1 -1 1 -1 2 2]");
  BOOST_TEST(
      padded("PaddedBatchDataset", 3) ==
      "int64[3,3] [-1 -1 -1 1 -1 -1 2 2 -1] | int64[1,3] [3 3 3]");
  BOOST_TEST(
      padded("PaddedBatchDataset", 2) ==
      "int64[3,2] [-1 -1 1 -1 2 2] | DataLoss: Attempted to pad to a smaller size than the input "
      "element.");
}

BOOST_FIXTURE_TEST_CASE(elements_of_different_shapes_are_no_batch, PaddingFixture) {
  auto rows = elements(DType::int64, Shape::unknown_rank());
  BOOST_TEST(
      all(dataset("BatchDataset", {triangle(3), number(2)}, {}, rows), rows) ==
      "InvalidArgument: Cannot batch tensors with different shapes in component 0. First element "
      "had shape [0] and element 1 had shape [1]. | int64[1,2] [2 2]");
}

BOOST_AUTO_TEST_CASE(a_cached_dataset_computes_its_elements_once) {
  auto counter = b.variable("counter", b.constant<int64_t>(0));
  auto f = b.function(
      "count", {{"x", DType::int64, Shape()}, {"counter", DType::resource, Shape()}},
      [](const Builder& f, const Values& in) {
        auto added = f.op("AssignAddVariableOp", {in[1], in[0]}, {});
        return Values{f.after({added}).op("Identity", {in[0]})};
      });
  auto map = dataset(
      "MapDataset", {range(3), counter.handle},
      {{"f", f}, {"Targuments", DTypes{DType::resource}}});
  BOOST_TEST(show(runner.run(b, {}, {}, {b.initializer()})) == "");
  BOOST_TEST(numbers(repeat(dataset("CacheDataset", {map, text("")}), 3)) == "0 1 2 0 1 2 0 1 2");
  BOOST_TEST(show(runner.run(b, {}, {counter.value()})) == "int64[] [3]");
}

BOOST_AUTO_TEST_CASE(prefetched_elements_are_the_same_in_the_same_order) {
  for (int64_t size : {0, 1, 3, 100, -1})
    BOOST_TEST(numbers(dataset("PrefetchDataset", {range(6), number(size)})) == "0 1 2 3 4 5");
  BOOST_TEST(
      starts_with(numbers(dataset("PrefetchDataset", {range(6), number(-2)})), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(an_iterator_that_is_gone_stops_the_tasks_that_fill_its_buffer) {
  auto endless = dataset("PrefetchDataset", {repeat(range(2), -1), number(1'000'000'000)});
  BOOST_TEST(numbers(endless, 3) == "0 1 0 ...");
}

BOOST_AUTO_TEST_CASE(optimizations_change_no_elements) {
  auto optimized = [this](const Tensor& names) {
    return numbers(dataset("OptimizeDataset", {range(3), b.constant(names)}));
  };
  BOOST_TEST(optimized(Tensor::of<std::string>({0}, {})) == "0 1 2");
  BOOST_TEST(
      optimized(Tensor::of<std::string>({2}, {"noop_elimination", "make_sloppy"})) == "0 1 2");
  BOOST_TEST(
      optimized(Tensor::of<std::string>({1}, {"other"})) ==
      "InvalidArgument: there is no optimization 'other'");
  BOOST_TEST(
      optimized(Tensor::string("slack")) == "InvalidArgument: optimizations must be a vector");
}

/// Rows of a sparse tensor.
struct SparseBatchFixture : DatasetFixture {
  /// A vector of each number x of 0, 1, 2, 3: x times 10 * x.
  Value vectors() const {
    auto body = [](const Builder& f, const Values& in) {
      auto size = f.op("Reshape", {in[0], f.constant(Tensor::of<int32_t>({1}, {1}))});
      return Values{f.op("Fill", {size, in[0] * 10.0})};
    };
    return b.op(
        "MapDataset", {range(4)},
        {{"f", function("vector", body)},
         {"Targuments", DTypes()},
         {"output_types", DTypes{DType::int64}},
         {"output_shapes", Shapes{{Shape::unknown}}}});
  }
  Value batches(
      int64_t size, const Value& row_shape, const Value& input,
      const char* op = "DenseToSparseBatchDataset") const {
    return dataset(op, {input, number(size), row_shape}, {}, elements(DType::string, Shape{3}));
  }
  Value batches(int64_t size, std::initializer_list<int64_t> row_shape) const {
    auto rank = static_cast<int64_t>(row_shape.size());
    return batches(size, b.constant(Tensor::of<int64_t>({rank}, row_shape)), vectors());
  }
  /// Indices, values and shape of each.
  std::string sparse(const Value& dataset, DType dtype = DType::int64) {
    auto it = iterator(dataset, elements(DType::string, Shape{3}));
    if (auto begun = begin(it); !begun.empty()) return begun;
    auto next = b.op("IteratorGetNext", {it.handle}, elements(DType::string, Shape{3}));
    auto parts = b.op("DeserializeSparse", {next}, {{"dtype", dtype}});
    it.next = {parts.output(0), parts.output(1), parts.output(2)};
    return all_of(it);
  }
};

BOOST_FIXTURE_TEST_CASE(vectors_of_several_sizes_are_rows_of_a_sparse_tensor, SparseBatchFixture) {
  BOOST_TEST(
      sparse(batches(3, {4})) ==
      "int64[3,2] [1 0 2 0 2 1]; int64[3] [10 20 20]; int64[2] [3 4] | "
      "int64[3,2] [0 0 0 1 0 2]; int64[3] [30 30 30]; int64[2] [1 4]");
}

BOOST_FIXTURE_TEST_CASE(the_largest_row_of_a_sparse_batch_says_an_open_size, SparseBatchFixture) {
  BOOST_TEST(
      sparse(batches(3, {-1})) ==
      "int64[3,2] [1 0 2 0 2 1]; int64[3] [10 20 20]; int64[2] [3 2] | "
      "int64[3,2] [0 0 0 1 0 2]; int64[3] [30 30 30]; int64[2] [1 3]");
}

BOOST_FIXTURE_TEST_CASE(sparse_batches_have_an_older_name, SparseBatchFixture) {
  auto row_shape = b.constant(Tensor::of<int64_t>({1}, {4}));
  BOOST_TEST(
      sparse(batches(1, row_shape, vectors(), "ExperimentalDenseToSparseBatchDataset")) ==
      sparse(batches(1, row_shape, vectors())));
}

BOOST_FIXTURE_TEST_CASE(matrices_and_scalars_of_strings_are_rows_of_it_too, SparseBatchFixture) {
  auto no_sizes = b.constant(Tensor::of<int64_t>({0}, {}));
  auto matrix_sizes = b.constant(Tensor::of<int64_t>({2}, {2, -1}));
  auto scalars = slices(Tensor::of<std::string>({2}, {"a", "b"}));
  BOOST_TEST(
      sparse(batches(2, no_sizes, scalars), DType::string) ==
      "int64[2,1] [0 1]; string[2] [\"a\" \"b\"]; int64[1] [2]");
  auto matrices = slices(Tensor::of<std::string>({1, 2, 2}, {"a", "b", "c", "d"}));
  BOOST_TEST(
      sparse(batches(2, matrix_sizes, matrices), DType::string) ==
      "int64[4,3] [0 0 0 0 0 1 0 1 0 0 1 1]; string[4] [\"a\" \"b\" \"c\" \"d\"]; "
      "int64[3] [1 2 2]");
}

BOOST_FIXTURE_TEST_CASE(a_row_that_does_not_fit_a_sparse_batch_is_an_error, SparseBatchFixture) {
  BOOST_TEST(
      sparse(batches(3, {1})) ==
      "DataLoss: Input element had shape ([2]) that is larger than the row shape ([1]). | "
      "DataLoss: Input element had shape ([3]) that is larger than the row shape ([1]).");
  BOOST_TEST(
      sparse(batches(4, {4, 4})) ==
      "InvalidArgument: Input element had shape ([0]) that is incompatible with the row shape "
      "([4,4]).");
}

BOOST_FIXTURE_TEST_CASE(sparse_batches_need_rows_that_can_be, SparseBatchFixture) {
  BOOST_TEST(sparse(batches(0, {4})) == "InvalidArgument: Batch size must be greater than zero.");
  BOOST_TEST(sparse(batches(1, {-2})).starts_with("InvalidArgument: "));
}

/// Of 10 elements, in a buffer of 4, with the seeds 7 and 11.
struct ShuffleFixture : DatasetFixture {
  Value shuffle(bool reshuffles, int64_t count = 10, int64_t buffer_size = 4) {
    return dataset(
        "ShuffleDataset", {range(count), number(buffer_size), number(7), number(11)},
        {{"reshuffle_each_iteration", reshuffles}});
  }
};

BOOST_FIXTURE_TEST_CASE(a_shuffle_has_the_order_that_tensorflow_gives_its_seeds, ShuffleFixture) {
  const std::string once = "1 3 5 4 7 0 6 9 8 2";
  BOOST_TEST(numbers(repeat(shuffle(false), 2)) == once + " " + once);
  auto same = dataset("SkipDataset", {shuffle(true), number(0)});
  BOOST_TEST(
      numbers(repeat(same, 3)) == "2 4 0 6 1 7 5 8 3 9 2 4 0 6 3 1 9 8 7 5 0 3 4 5 6 8 2 7 9 1");
}

// TensorFlow 1.15 makes one dataset of the two.
BOOST_FIXTURE_TEST_CASE(a_shuffle_that_is_repeated_goes_on_with_its_numbers, ShuffleFixture) {
  BOOST_TEST(
      numbers(repeat(shuffle(true), 3)) ==
      "1 3 5 4 7 0 6 9 8 2 0 1 5 4 7 8 2 6 3 9 0 1 3 2 4 8 6 5 9 7");
  BOOST_TEST(numbers(repeat(shuffle(true, 2, 12), 7)) == "1 0 1 0 1 0 0 1 0 1 0 1 1 0");
  BOOST_TEST(numbers(repeat(shuffle(true, 3), -1), 8) == "2 1 0 0 2 1 1 0 ...");
  BOOST_TEST(numbers(repeat(shuffle(true, 0), -1)) == "");
  BOOST_TEST(numbers(repeat(shuffle(true), 0)) == "");
}

// TensorFlow's iterator makes two datasets of one that is used twice.
BOOST_AUTO_TEST_CASE(a_shuffle_that_is_used_twice_has_its_orders_twice) {
  const std::string first = "2 4 0 6 1 7 5 8 3 9", second = " 2 4 0 6 3 1 9 8 7 5";
  auto shuffle = dataset(
      "ShuffleDataset", {range(10), number(4), number(7), number(11)},
      {{"reshuffle_each_iteration", true}});
  auto twice = dataset("ConcatenateDataset", {shuffle, shuffle});
  BOOST_TEST(numbers(repeat(twice, 2)) == first + " " + first + second + second);
  auto ones = dataset("RepeatDataset", {slices(Tensor::of<int64_t>({2}, {0, 1})), number(10)});
  auto turns = dataset("ExperimentalDirectedInterleaveDataset", {ones, shuffle, shuffle});
  BOOST_TEST(numbers(turns) == "2 2 4 4 0 0 6 6 1 1 7 7 5 5 8 8 3 3 9 9");
}

BOOST_AUTO_TEST_CASE(a_shuffle_without_seeds_gives_each_element_once) {
  auto shuffle = dataset("ShuffleDataset", {range(5), number(9), number(0), number(0)});
  auto text = numbers(shuffle);
  for (const auto* element : {"0", "1", "2", "3", "4"})
    BOOST_TEST(text.find(element) != std::string::npos);
  BOOST_TEST(text.size() == 9u);
  BOOST_TEST(
      numbers(dataset("ShuffleDataset", {range(5), number(0), number(0), number(0)})) ==
      "InvalidArgument: buffer_size must be greater than zero.");
}

BOOST_AUTO_TEST_CASE(random_numbers_are_those_that_tensorflow_gives_their_seeds) {
  const std::string first = "3095590853 1250737154 3829979427 3461007357";
  for (const auto* op : {"RandomDataset", "ExperimentalRandomDataset"}) {
    auto four = dataset("TakeDataset", {dataset(op, {number(7), number(11)}), number(4)});
    BOOST_TEST(numbers(repeat(four, 2)) == first + " " + first);
  }
  auto random = dataset("RandomDataset", {number(0), number(0)});
  auto four = dataset("TakeDataset", {random, number(4)});
  BOOST_TEST(numbers(four) != numbers(four));
  auto floats = dataset("RandomDataset", {number(1), number(2)}, {}, elements(DType::float32));
  BOOST_TEST(starts_with(all(floats, elements(DType::float32)), "InvalidArgument: the elements"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
