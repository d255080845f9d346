#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/devices/resources/hash_table.hpp"

namespace troupe::cpu {
namespace {

/// A kernel that does something with the table whose handle is input 0. What it did to a table that
/// was dropped meanwhile has no effect, and it fails.
template <Status (*use)(Launch&, HashTableResource&)>
Status use_table(Launch& launch) {
  auto table = resource_input<HashTableResource>(launch, 0);
  if (!table) return table.status();
  auto status = use(launch, **table);
  if ((*table)->is_dropped()) return gone(launch.input(0).value<ResourceHandle>());
  return status;
}

Status find(Launch& launch, HashTableResource& table) {
  auto values = table.find(launch.input(1), launch.input(2), launch.device().allocator());
  if (values) launch.set(0, *std::move(values));
  return values.status();
}

Status insert(Launch& launch, HashTableResource& table) {
  return table.insert(launch.input(1), launch.input(2));
}

Status import_entries(Launch& launch, HashTableResource& table) {
  return table.assign(launch.input(1), launch.input(2));
}

Status remove(Launch& launch, HashTableResource& table) { return table.remove(launch.input(1)); }

Status get_size(Launch& launch, HashTableResource& table) {
  auto size = launch.allocate(DType::int64, {});
  if (!size) return size.status();
  *size->mutable_data<int64_t>() = table.size();
  launch.set(0, *std::move(size));
  return {};
}

/// The dtypes that the node declares for its outputs are those of the table, or the plan is wrong.
Result<Kernel> make_export(const Node& node) {
  auto compute = [keys = node.output_dtypes[0],
                  values = node.output_dtypes[1]](Launch& launch) -> Status {
    auto table = resource_input<HashTableResource>(launch, 0);
    if (!table) return table.status();
    if ((*table)->key_dtype() != keys || (*table)->value_dtype() != values)
      return invalid_argument("the table has other dtypes than those that it is exported as");
    auto entries = (*table)->entries(launch.device().allocator());
    if ((*table)->is_dropped()) return gone(launch.input(0).value<ResourceHandle>());
    if (!entries) return entries.status();
    launch.set(0, std::move(entries->keys));
    launch.set(1, std::move(entries->values));
    return {};
  };
  return Kernel{.compute = std::move(compute)};
}

}  // namespace

void add_table_kernels(KernelCatalog& catalog) {
  catalog.add_compute("LookupTableFindV2", use_table<find>);
  catalog.add_compute("LookupTableInsertV2", use_table<insert>);
  catalog.add_compute("LookupTableRemoveV2", use_table<remove>);
  catalog.add_compute("LookupTableSizeV2", use_table<get_size>);
  catalog.add("LookupTableExportV2", make_export);
  catalog.add_compute("LookupTableImportV2", use_table<import_entries>);
}

}  // namespace troupe::cpu
