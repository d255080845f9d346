#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/cpu/state/table_file.hpp"
#include "troupe/devices/cpu/string/strings.hpp"
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

/// A use that changes the table.
template <Status (*change)(Launch&, HashTableResource&)>
Status change_table(Launch& launch) {
  auto status = use_table<change>(launch);
  if (status.ok()) launch.note_change();
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

Status initialize(Launch& launch, HashTableResource& table) {
  if (launch.input(1).shape() != launch.input(2).shape())
    return invalid_argument(
        "keys and values should have the same dimension." + launch.input(1).shape().to_string() +
        " vs " + launch.input(2).shape().to_string());
  return table.initialize(launch.input(1), launch.input(2));
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

Status initialize_from_file(Launch& launch, const TableColumns& columns) {
  auto table = resource_input<HashTableResource>(launch, 0);
  if (!table) return table.status();
  auto filename = scalar_string(launch, 1, "filename");
  if (!filename) return filename.status();
  auto entries = read_table_file(*filename, columns, **table);
  if (!entries) return entries.status();
  auto status = (*table)->initialize(entries->keys, entries->values);
  if ((*table)->is_dropped()) return gone(launch.input(0).value<ResourceHandle>());
  // One that was filled before stays as it is, whatever the file has now.
  auto was_filled = status.code() == Code::failed_precondition && (*table)->is_initialized();
  return was_filled ? Status() : status;
}

Result<Kernel> make_initialize_from_file(const Node& node) {
  const auto& delimiter = node.attr<std::string>("delimiter");
  if (delimiter.size() != 1) return invalid_argument("delimiter should be only 1 char");
  TableColumns columns{
      .key_index = node.attr<int64_t>("key_index"),
      .value_index = node.attr<int64_t>("value_index"),
      .vocab_size = node.attr<int64_t>("vocab_size"),
      .delimiter = delimiter[0]};
  constexpr int64_t disk_ns = 10'000'000;
  return Kernel{
      .compute = [columns](Launch& launch) { return initialize_from_file(launch, columns); },
      .cost_ns = [](const Launch&) { return disk_ns; }};
}

}  // namespace

void add_table_kernels(KernelCatalog& catalog) {
  for (std::string form : {"", "V2"}) {
    catalog.add_compute("LookupTableFind" + form, use_table<find>);
    catalog.add_compute("LookupTableInsert" + form, change_table<insert>);
    catalog.add_compute("LookupTableSize" + form, use_table<get_size>);
    catalog.add("LookupTableExport" + form, make_export);
    catalog.add_compute("LookupTableImport" + form, change_table<import_entries>);
    catalog.add_compute("InitializeTable" + form, use_table<initialize>);
    catalog.add("InitializeTableFromTextFile" + form, make_initialize_from_file);
  }
  catalog.add_compute("LookupTableRemoveV2", change_table<remove>);
}

}  // namespace troupe::cpu
