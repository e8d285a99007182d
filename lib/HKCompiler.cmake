# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds LLVM and MLIR, and says how a library and a tool of the compiler are
# built: against the shared libMLIR and libLLVM, or, with HK_STATIC, against
# the component libraries, so that one file travels alone.

list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-22)
find_package(MLIR 22.1 REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

separate_arguments(HK_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")

add_library(hk_compiler_options INTERFACE)
target_compile_definitions(hk_compiler_options INTERFACE ${HK_LLVM_DEFINITIONS}
  HK_VERSION="${PROJECT_VERSION}")
target_compile_options(hk_compiler_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
# LLVM's headers, and what mlir-tblgen writes, are not ours to keep free of
# warnings.
target_include_directories(hk_compiler_options SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS} ${PROJECT_BINARY_DIR}/include)
target_include_directories(hk_compiler_options INTERFACE
  ${PROJECT_SOURCE_DIR}/include)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(hk_compiler_options INTERFACE -flarge-source-files)
endif()

# The headers that every file of a library reads are parsed once: those of the
# compiler, or those of the conversions too, with the dialects they lead through.
# (g++ gains nothing from it.)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  foreach(pch compiler lowering)
    add_library(hk_${pch}_pch OBJECT ${PROJECT_SOURCE_DIR}/lib/HKPrecompiled.cpp)
    target_link_libraries(hk_${pch}_pch PRIVATE hk_compiler_options)
    add_dependencies(hk_${pch}_pch hk_generated_headers)
  endforeach()
  target_precompile_headers(hk_compiler_pch PRIVATE
    ${PROJECT_SOURCE_DIR}/lib/HKPrecompiled.h)
  target_precompile_headers(hk_lowering_pch PRIVATE
    ${PROJECT_SOURCE_DIR}/lib/HKPrecompiledLowering.h)
endif()

if(HK_STATIC)
  include(${PROJECT_SOURCE_DIR}/lib/HKStatic.cmake)
else()
  set(HK_MLIR_LIBS MLIR LLVM)
endif()

# hk_add_library(NAME sources... [LOWERING] [DEPENDS targets...]
#                [LINK libraries...])
# LOWERING: precompiled headers are those of the conversions.
function(hk_add_library name)
  cmake_parse_arguments(ARG "LOWERING" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC hk_compiler_options ${ARG_LINK})
  set(pch hk_compiler_pch)
  if(ARG_LOWERING)
    set(pch hk_lowering_pch)
  endif()
  if(TARGET ${pch})
    target_precompile_headers(${name} REUSE_FROM ${pch})
  endif()
  # Every library may include the generated headers of any.
  add_dependencies(${name} hk_generated_headers ${ARG_DEPENDS})
endfunction()

# hk_add_tool(NAME sources... LIBS libraries... [MLIR_LIBS static libraries])
function(hk_add_tool name)
  cmake_parse_arguments(ARG "" "" "LIBS;MLIR_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE hk_compiler_options ${ARG_LIBS} ${HK_MLIR_LIBS})
  if(HK_STATIC)
    target_link_libraries(${name} PRIVATE ${ARG_MLIR_LIBS})
  endif()
  # libMLIR lies outside the loader's path.
  set_target_properties(${name} PROPERTIES
    BUILD_RPATH "${LLVM_LIBRARY_DIRS}" INSTALL_RPATH "${LLVM_LIBRARY_DIRS}")
  add_dependencies(${name} hk_generated_headers)
endfunction()

add_custom_target(hk_generated_headers)
