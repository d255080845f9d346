#include "troupe/graph/ops/loaded_ops.hpp"

#include <map>
#include <mutex>
#include <shared_mutex>

#include "troupe/graph/ops/all_ops.hpp"

namespace troupe::loaded_ops {
namespace {

struct Registry {
  std::shared_mutex mutex;
  std::map<std::string, Op, std::less<>> ops;  // none is ever removed: nodes point to them
};

Registry& registry() {
  static Registry all;
  return all;
}

}  // namespace

Status add(const OpCatalog& ops) {
  auto own = op_catalog();
  auto& all = registry();
  std::unique_lock lock(all.mutex);
  for (const auto& [name, op] : ops.all())
    if (own->all().contains(name) || all.ops.contains(name))
      return Status(Code::already_exists, "there is an op '" + name + "' already");
  for (const auto& [name, op] : ops.all()) all.ops.emplace(name, op);
  return {};
}

const Op* find(std::string_view name) {
  auto& all = registry();
  std::shared_lock lock(all.mutex);
  auto found = all.ops.find(name);
  return found == all.ops.end() ? nullptr : &found->second;
}

std::vector<const Op*> all() {
  auto& known = registry();
  std::shared_lock lock(known.mutex);
  std::vector<const Op*> ops;
  for (const auto& [name, op] : known.ops) ops.push_back(&op);
  return ops;
}

}  // namespace troupe::loaded_ops
