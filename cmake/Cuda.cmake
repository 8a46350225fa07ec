# Decides whether the CUDA device is built.
#
#   GOTHIC_CUDA       ON: required; OFF: not built; AUTO: built where both nvcc and a GPU are present
#   CMAKE_CUDA_ARCHITECTURES   the user's choice, or the GPU's, or 90 (Hopper)
#
# Sets GOTHIC_WITH_CUDA and, where it is true, enables the language CUDA with a static runtime library
# and makes two targets: gothic_cuda_options has the options that compile the single source for the GPU, and
# cuda_code is all code that is compiled with them, with its libraries.

set(GOTHIC_CUDA AUTO CACHE STRING "Build the CUDA device: ON, OFF or AUTO (nvcc and a GPU are present)")
set_property(CACHE GOTHIC_CUDA PROPERTY STRINGS AUTO ON OFF)

find_program(GOTHIC_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_PATH PATHS /usr/local/cuda/bin
             PATH_SUFFIXES bin)
mark_as_advanced(GOTHIC_NVCC)

# Compute capabilities of the GPUs in this machine, as in "90"; empty without a GPU or its driver.
set(GOTHIC_GPUS "")
execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                RESULT_VARIABLE status OUTPUT_VARIABLE capabilities ERROR_QUIET)
if(status EQUAL 0)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${capabilities}")
  list(REMOVE_DUPLICATES capabilities)
  string(REPLACE "." "" GOTHIC_GPUS "${capabilities}")
endif()

string(TOUPPER "${GOTHIC_CUDA}" GOTHIC_WITH_CUDA)
if(GOTHIC_WITH_CUDA STREQUAL "AUTO")
  set(GOTHIC_WITH_CUDA OFF)
  if(GOTHIC_NVCC AND GOTHIC_GPUS)
    set(GOTHIC_WITH_CUDA ON)
  endif()
endif()

if(GOTHIC_WITH_CUDA)
  if(NOT GOTHIC_NVCC AND NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "GOTHIC_CUDA=${GOTHIC_CUDA}, but there is no nvcc in PATH or "
                        "/usr/local/cuda/bin: install the CUDA toolkit, or set GOTHIC_CUDA=OFF")
  endif()
  if(NOT CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER ${GOTHIC_NVCC})
  endif()
  if(NOT CMAKE_CUDA_HOST_COMPILER)
    set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
  endif()
  if(NOT CMAKE_CUDA_ARCHITECTURES AND GOTHIC_GPUS)
    set(CMAKE_CUDA_ARCHITECTURES ${GOTHIC_GPUS})
  elseif(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90)
  endif()
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  enable_language(CUDA)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION) # CMake 3.25 knows no such flag of nvcc
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_EXTENSIONS OFF)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  find_package(CUDAToolkit REQUIRED)
  add_library(gothic_cuda_options INTERFACE)
  target_link_libraries(gothic_cuda_options INTERFACE CUDA::cudart_static)
  # The algorithms are lambdas of the host's code; ptxas reports registers and spills.
  target_compile_options(gothic_cuda_options INTERFACE
    $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda --expt-relaxed-constexpr -Xptxas=-v>>)
  add_custom_target(cuda_code)
  add_dependencies(cuda_code gothic)
  message(STATUS "CUDA device: on (nvcc ${CMAKE_CUDA_COMPILER_VERSION}, "
                 "architectures ${CMAKE_CUDA_ARCHITECTURES})")
else()
  message(STATUS "CUDA device: off")
endif()
