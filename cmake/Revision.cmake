# The source revision inside the programs.
#
# Included from a CMakeLists.txt it defines gothic_embed_revision(TARGET). Run as a script at build time
# it writes revision.hpp, and leaves the file alone when nothing changed, so that commits that touch
# neither the sources nor the build (documentation, analysis, tests) give identical binaries.

if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  set(sources src ic cmake CMakeLists.txt)
  execute_process(COMMAND git log -1 --format=%h --abbrev=12 -- ${sources}
    WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND git status --porcelain -- ${sources}
    WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE changes ERROR_QUIET)
  if(NOT revision)
    set(revision unknown)
  elseif(changes)
    string(APPEND revision -dirty)
  endif()
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
    "#pragma once\n\nnamespace gothic::files {\ninline constexpr const char* source_revision = \"@revision@\";\n}\n")
  return()
endif()

set(gothic_revision_script ${CMAKE_CURRENT_LIST_FILE})

# Lets the sources of TARGET include "revision.hpp" and tells them the compiler and its options.
function(gothic_embed_revision target)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/generated)
  add_custom_target(${target}_revision
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DOUTPUT=${folder}/revision.hpp
            -P ${gothic_revision_script}
    BYPRODUCTS ${folder}/revision.hpp
    COMMENT "Looking up the source revision" VERBATIM)
  add_dependencies(${target} ${target}_revision)
  target_include_directories(${target} PRIVATE ${folder})

  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" flags)
  if(GOTHIC_NATIVE)
    string(APPEND flags " -march=native")
  endif()
  if(GOTHIC_WITH_CUDA)
    list(JOIN CMAKE_CUDA_ARCHITECTURES " " architectures)
    string(APPEND flags ", nvcc ${CMAKE_CUDA_COMPILER_VERSION} for ${architectures}")
  endif()
  set_property(SOURCE provenance.cpp APPEND PROPERTY COMPILE_DEFINITIONS
    "GOTHIC_COMPILER=\"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${flags}\""
    "GOTHIC_VERSION=\"${PROJECT_VERSION}\"")
endfunction()
