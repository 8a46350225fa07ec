#pragma once

/// Marks a function that both the host's and the GPU's code may call.
#ifdef __CUDACC__
#define GOTHIC_HD __host__ __device__
#else
#define GOTHIC_HD
#endif

/// Before a loop: the GPU's compiler is to write its body four times.
#ifdef __CUDACC__
#define GOTHIC_UNROLL _Pragma("unroll 4")
#else
#define GOTHIC_UNROLL
#endif
