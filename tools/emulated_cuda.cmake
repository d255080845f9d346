# The driver and the kernels of devices/cuda for the host: a library of cards as libtroupe_cuda.so,
# with tests/cuda/emulated in the place of CUDA's runtime, cuBLASLt, cuDNN, cuFFT and cuSOLVER; what
# NVRTC compiles for cards, the host's compiler does. cuda_emulated runs the tests of cards with it, on
# every machine.

file(GLOB_RECURSE emulated_sources CONFIGURE_DEPENDS
     devices/cuda/*.cpp devices/cuda/*.cu tests/cuda/emulated/*.cpp)
list(FILTER emulated_sources EXCLUDE REGEX
     "/devices/cuda/(fusion/compiled_kernels|delay|linalg/fourier_calls|linalg/dense/solver_calls|measure)\\.(cpp|cu)$")

# A file's language is the same in all targets: a source of C++ includes each that is CUDA's elsewhere.
set(kernels ${emulated_sources})
list(FILTER kernels INCLUDE REGEX "\\.cu$")
list(REMOVE_ITEM emulated_sources ${kernels})
foreach(kernel ${kernels})
  file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${kernel})
  set(source ${CMAKE_BINARY_DIR}/generated/emulated/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"troupe/@name@\"\n" @ONLY)
  list(APPEND emulated_sources ${source})
endforeach()

add_library(troupe_emulated_cuda MODULE ${emulated_sources})
set_target_properties(troupe_emulated_cuda PROPERTIES
  UNITY_BUILD OFF POSITION_INDEPENDENT_CODE ON LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
target_include_directories(troupe_emulated_cuda BEFORE PRIVATE tests/cuda/emulated/include)
# Few blocks, so that each goes on to further items, as large calls have on a card; few hashes, so
# that slices that differ have the same one, as hardly any have otherwise.
target_compile_definitions(
  troupe_emulated_cuda PRIVATE TROUPE_CUDA_LEAST_CAPABILITY=75 TROUPE_CUDA_BLOCKS_MAX=3
                               TROUPE_CUDA_HASHES=50
                               TROUPE_CUDNN=1 TROUPE_CUFFT=1 TROUPE_CUSOLVER=1
                               TROUPE_EMULATED_COMPILER="${CMAKE_CXX_COMPILER}"
                               TROUPE_EMULATED_HEADERS="${CMAKE_BINARY_DIR}/include")
target_compile_options(troupe_emulated_cuda PRIVATE -Wno-unknown-pragmas)
target_link_libraries(troupe_emulated_cuda PRIVATE troupe_devices)
target_link_options(troupe_emulated_cuda PRIVATE -Wl,--exclude-libs,ALL)

add_executable(emulated_cuda_test tests/cuda/main.cpp)
target_link_libraries(emulated_cuda_test PRIVATE cuda_test_cases)
target_compile_definitions(
  emulated_cuda_test PRIVATE TROUPE_EMULATED_CARDS="$<TARGET_FILE:troupe_emulated_cuda>")
add_dependencies(emulated_cuda_test troupe_emulated_cuda)
add_test(NAME cuda_emulated COMMAND emulated_cuda_test --color_output=no)
# Memory that the host cannot touch is no other process's, and costs time.
add_test(NAME cuda_emulated_guarded
         COMMAND emulated_cuda_test --color_output=no
                 --run_test=recorded_calls_on_a_card:tensor_lists_on_a_card:tensor_arrays_on_a_card)
set_tests_properties(cuda_emulated_guarded PROPERTIES ENVIRONMENT TROUPE_EMULATED_GUARD=1)
