# find_package(Troupe): Troupe::actors with the simulated cluster, Troupe::client for running nodes,
# Troupe::server for a node in one's own process, and what they stand on.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(Eigen3 3.4)
find_dependency(TBB)
find_dependency(CapnProto)
find_dependency(nlohmann_json)
find_dependency(spdlog)
find_dependency(ZLIB)
include(${CMAKE_CURRENT_LIST_DIR}/TroupeTargets.cmake)
