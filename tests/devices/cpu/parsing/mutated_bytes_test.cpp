#include <random>

#include <boost/test/unit_test.hpp>

#include "troupe/graph/proto/serialized.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

/// The field of a message whose value is bytes.
std::string bytes_field(int number, const std::string& value) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(value.size())} + value;
}

std::string map_entry(const std::string& key, const std::string& value) {
  return bytes_field(1, bytes_field(1, key) + bytes_field(2, value));
}

/// A sequence example, whose context is what an example has, too.
std::string sequence_example() {
  auto texts = bytes_field(1, bytes_field(1, "hello") + bytes_field(1, ""));
  auto floats = bytes_field(2, bytes_field(1, std::string(8, '\1')));
  auto ints = bytes_field(3, bytes_field(1, std::string("\x05\xff\xff\x01\x00", 5)));
  auto context = map_entry("f", floats) + map_entry("i", ints) + map_entry("s", texts);
  auto list = bytes_field(1, floats) + bytes_field(1, floats);
  return bytes_field(1, context) +
         bytes_field(2, map_entry("f", list) + map_entry("s", bytes_field(1, texts)));
}

/// The bytes cut off at each place, and then with a few bytes changed, taken out or put in.
std::vector<std::string> mutations(const std::string& bytes) {
  std::vector<std::string> all;
  for (size_t size = 0; size < bytes.size(); ++size) all.push_back(bytes.substr(0, size));
  std::mt19937 random(17);
  auto below = [&](size_t end) { return static_cast<size_t>(random() % end); };
  const std::string special("\x00\x01\x02\x7f\x80\xff\x08\x0a\x0b\x12\x1a", 11);
  for (int i = 0; i < 400; ++i) {
    auto changed = bytes;
    for (size_t n = below(3) + 1; n > 0 && !changed.empty(); --n) {
      auto at = below(changed.size());
      auto byte = below(2) == 0 ? special[below(special.size())] : static_cast<char>(below(256));
      if (below(4) == 0) changed.erase(at, below(4));
      else if (below(3) == 0) changed.insert(at, below(12) + 1, byte);
      else changed[at] = byte;
    }
    all.push_back(changed);
  }
  return all;
}

/// Runs `call` on all mutations: each has results, or is refused as an argument.
template <class F>
void check_mutations(const std::string& bytes, const F& call) {
  int refused = 0, parsed = 0;
  for (const auto& changed : mutations(bytes)) {
    auto outputs = call(changed);
    if (outputs.ok()) {
      ++parsed;
      continue;
    }
    ++refused;
    auto code = outputs.status().code();
    BOOST_TEST(
        (code == Code::invalid_argument || code == Code::resource_exhausted),
        outputs.status().to_string());
  }
  BOOST_TEST(refused > 0);
  BOOST_TEST(parsed > 0);
}

const DTypes three_types = {DType::float32, DType::int64, DType::string};

}  // namespace

BOOST_AUTO_TEST_SUITE(mutated_bytes)

BOOST_AUTO_TEST_CASE(examples_of_any_bytes_are_parsed_or_refused) {
  auto f = Tensor::string("f"), i = Tensor::string("i"), s = Tensor::string("s");
  Attrs sparse = {
      {"Nsparse", 3},
      {"Ndense", 0},
      {"sparse_types", three_types},
      {"Tdense", DTypes()},
      {"dense_shapes", Shapes()}};
  check_mutations(sequence_example(), [&](const std::string& bytes) {
    return run_op(
        "ParseExample", {vec<std::string>({bytes}), vec<std::string>({}), f, i, s}, sparse);
  });
  Attrs dense = {
      {"num_sparse", 0},
      {"sparse_keys", std::vector<std::string>()},
      {"sparse_types", DTypes()},
      {"dense_keys", std::vector<std::string>{"f", "i", "s"}},
      {"dense_shapes", Shapes{{2}, {Shape::unknown}, {2, 1}}}};
  check_mutations(sequence_example(), [&](const std::string& bytes) {
    return run_op(
        "ParseSingleExample",
        {Tensor::string(bytes), vec({1, 2}), vec<int64_t>({7}),
         vec<std::string>({2, 1}, {"a", "b"})},
        dense);
  });
}

BOOST_AUTO_TEST_CASE(sequence_examples_of_any_bytes_are_parsed_or_refused) {
  using Keys = std::vector<std::string>;
  Attrs attrs = {
      {"Ncontext_sparse", 3},
      {"context_sparse_keys", Keys{"f", "i", "s"}},
      {"context_sparse_types", three_types},
      {"context_dense_keys", Keys()},
      {"Nfeature_list_sparse", 1},
      {"feature_list_sparse_keys", Keys{"s"}},
      {"feature_list_sparse_types", DTypes{DType::string}},
      {"Nfeature_list_dense", 1},
      {"feature_list_dense_keys", Keys{"f"}},
      {"feature_list_dense_types", DTypes{DType::float32}},
      {"feature_list_dense_shapes", Shapes{{2}}},
      {"feature_list_dense_missing_assumed_empty", Keys{"f"}}};
  check_mutations(sequence_example(), [&](const std::string& bytes) {
    return run_op(
        "ParseSequenceExample", {vec<std::string>({bytes, bytes}), vec<std::string>({})}, attrs);
  });
}

BOOST_AUTO_TEST_CASE(tensors_of_any_bytes_are_parsed_or_refused) {
  for (const auto& tensor : {vec<int64_t>({2, 2}, {1, 2, 3, 4}), vec<int64_t>({})})
    check_mutations(*serialize_tensor(tensor), [](const std::string& bytes) {
      return run_op("ParseTensor", {Tensor::string(bytes)}, {{"out_type", DType::int64}});
    });
  auto texts = vec<std::string>({"a", "", "bcd"});
  for (auto where : {StringsIn::field, StringsIn::content})
    check_mutations(*serialize_tensor(texts, where), [](const std::string& bytes) {
      return run_op("ParseTensor", {Tensor::string(bytes)}, {{"out_type", DType::string}});
    });
}

BOOST_AUTO_TEST_CASE(sparse_tensors_of_any_bytes_are_parsed_or_refused) {
  auto indices = *serialize_tensor(vec<int64_t>({2, 1}, {0, 2}));
  auto values = *serialize_tensor(vec({5, 6}));
  auto shape = *serialize_tensor(vec<int64_t>({3}));
  for (size_t part = 0; part < 3; ++part)
    check_mutations(
        part == 0   ? indices
        : part == 1 ? values
                    : shape,
        [&](const std::string& bytes) {
          std::vector<std::string> parts = {indices, values, shape, indices, values, shape};
          parts[3 + part] = bytes;
          return run_op(
              "DeserializeManySparse",
              {Tensor::of<std::string>({2, 3}, std::span<const std::string>(parts))},
              {{"dtype", DType::float32}});
        });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
