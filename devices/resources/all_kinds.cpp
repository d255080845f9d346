#include "troupe/devices/resources/learning/quantile_stream_resource.hpp"
#include "troupe/devices/resources/learning/tree_ensemble_resource.hpp"
#include "troupe/devices/resources/resource_kind.hpp"
#include "troupe/devices/resources/tensor_forest/forest_resources.hpp"

namespace troupe {

// In data_flow/batcher.cpp and unbatcher.cpp.
void add_batcher_kind(ResourceKindCatalog& catalog);
void add_unbatcher_kinds(ResourceKindCatalog& catalog);

ResourceKindCatalog make_resource_kind_catalog() {
  ResourceKindCatalog catalog;
  add_variable_kind(catalog);
  add_hash_table_kind(catalog);
  add_dense_hash_table_kind(catalog);
  add_queue_kind(catalog);
  add_reader_kind(catalog);
  add_accumulator_kind(catalog);
  add_staging_area_kind(catalog);
  add_staging_map_kind(catalog);
  add_barrier_kind(catalog);
  add_mutex_kind(catalog);
  add_batcher_kind(catalog);
  add_unbatcher_kinds(catalog);
  add_iterator_kinds(catalog);
  add_tree_ensemble_kind(catalog);
  add_quantile_stream_kind(catalog);
  add_tensor_forest_kinds(catalog);
  return catalog;
}

}  // namespace troupe
