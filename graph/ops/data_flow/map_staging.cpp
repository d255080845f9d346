#include <string>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/data_flow/staging.hpp"

namespace troupe {
namespace {

void add_map_staging_ops(OpCatalog& catalog, const std::string& prefix) {
  auto op = [&](const char* name) { return Op(prefix + name); };
  auto of_key = [&](const char* name) {
    return op(name).input("key", DType::int64).input("indices", DType::int32);
  };
  catalog.add(
      staging_op(
          of_key("MapStage").inputs("values", "fake_dtypes").attr("fake_dtypes", AttrType::dtypes),
          shapes::none())
      .doc("Puts the components `indices` of the tuple with that key, as soon as there is room. It "
           "can be taken once it has all components."));
  catalog.add(staging_op(of_key("MapPeek").outputs("values", "dtypes"), shapes::none())
      .doc("Those components of the tuple with that key, as soon as there is one. They stay."));
  catalog.add(staging_op(of_key("MapUnstage").outputs("values", "dtypes"), shapes::none())
      .doc("Takes those components of the tuple with that key, as soon as there is one."));
  catalog.add(
      staging_op(
          op("MapUnstageNoKey")
              .input("indices", DType::int32)
              .output("key", DType::int64)
              .outputs("values", "dtypes"),
          shapes::none())
      .doc("Takes those components of the tuple with the lowest key, as soon as there is one."));
  catalog.add(staging_op(op("MapSize").output("size", DType::int32), shapes::scalar())
      .doc("The number of keys whose tuples have all components."));
  catalog.add(staging_op(op("MapIncompleteSize").output("size", DType::int32), shapes::scalar())
      .doc("The number of keys whose tuples lack components."));
  catalog.add(staging_op(op("MapClear"), shapes::none()).doc("Removes all tuples."));
}

}  // namespace

// Staging areas whose tuples have keys. TensorFlow's ordered ones give the lowest key first, the
// others any; here both give the lowest.
void add_map_staging_ops(OpCatalog& catalog) {
  for (auto prefix : {"", "Ordered"}) add_map_staging_ops(catalog, prefix);
}

}  // namespace troupe
