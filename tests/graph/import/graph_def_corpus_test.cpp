#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/support/file.hpp"
#include "troupe/tests/fuzz/graph_def_check.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// The GraphDefs that TensorFlow wrote, which are the seeds of graph_def_fuzz, too.
std::vector<std::string> recorded_graph_defs() {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(TROUPE_GRAPH_DEFS))
    if (file.path().extension() == ".pb") files.push_back(file.path());
  std::ranges::sort(files);
  std::vector<std::string> graph_defs;
  for (const auto& file : files) {
    auto bytes = read_file(file);
    BOOST_TEST_REQUIRE(bytes.ok(), bytes.status().to_string());
    graph_defs.push_back(*std::move(bytes));
  }
  return graph_defs;
}

/// Changes bytes, and what lies beside them, at random places.
class GraphDefMutator {
 public:
  explicit GraphDefMutator(uint32_t seed) : random_(seed) {}

  std::string mutate(std::string bytes) {
    for (auto changes = 1 + below(3); changes > 0; --changes) mutate_once(bytes);
    return bytes;
  }

 private:
  size_t below(size_t bound) { return random_() % bound; }
  void mutate_once(std::string& bytes) {
    if (bytes.size() < 64) return;
    auto at = below(bytes.size() - 32), length = 1 + below(16), from = below(bytes.size() - 32);
    switch (below(6)) {
      case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8))); return;
      case 1: bytes[at] = static_cast<char>(random_()); return;
      case 2: bytes.resize(at); return;
      case 3: bytes.replace(at, length, bytes.substr(from, length)); return;
      case 4: bytes.insert(at, bytes.substr(from, length)); return;
      default: bytes.erase(at, length);
    }
  }

  std::mt19937 random_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(graph_def_corpus)

BOOST_AUTO_TEST_CASE(recorded_graph_defs_come_in_or_are_errors_also_when_mutated) {
  const auto* given = std::getenv("TROUPE_GRAPH_DEF_ROUNDS");
  auto rounds = given ? std::atoi(given) : 100;
  auto catalog = op_catalog();
  GraphDefMutator mutator(7);
  long came_in = 0;
  for (const auto& graph_def : recorded_graph_defs()) {
    BOOST_TEST(check_graph_def(catalog, graph_def));
    for (int round = 0; round < rounds; ++round)
      came_in += check_graph_def(catalog, mutator.mutate(graph_def));
  }
  BOOST_TEST(came_in > 0);
}

BOOST_AUTO_TEST_SUITE_END()
