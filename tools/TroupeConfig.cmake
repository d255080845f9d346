# find_package(Troupe): Troupe::client for programs that use a cluster; Troupe::server for those that
# are nodes of one; Troupe::actors for clusters inside a program, simulated ones among them.
# find_package(Troupe COMPONENTS client) wants none of the packages that only the others stand on.
include(CMakeFindDependencyMacro)
find_dependency(Eigen3 3.4)
if(NOT TARGET CapnProto::capnp-rpc)  # its package file can be read only once
  enable_language(C)  # where it looks for libatomic
  find_dependency(CapnProto)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/TroupeClientTargets.cmake)
if(NOT Troupe_FIND_COMPONENTS STREQUAL "client")
  find_dependency(Threads)
  find_dependency(TBB)
  find_dependency(spdlog)
  find_dependency(ZLIB)
  include(${CMAKE_CURRENT_LIST_DIR}/TroupeServerTargets.cmake)
endif()
foreach(component ${Troupe_FIND_COMPONENTS})
  if(NOT TARGET Troupe::${component})
    set(Troupe_FOUND FALSE)
    set(Troupe_NOT_FOUND_MESSAGE "there is no component ${component}")
  endif()
endforeach()
