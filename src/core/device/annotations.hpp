#pragma once

/// What a compiler must be told of code that both it and another device's compiler get.
///
/// GOTHIC_HD               before a function that may run on the host and on the device
/// GOTHIC_UNROLL_ON_GPU(n) before a loop of which a GPU takes n rounds at a time
/// GOTHIC_NEVER_UNROLL     before a loop whose rounds have the same instructions, to the last bit
#define GOTHIC_PRAGMA(text) _Pragma(#text)
#ifdef __CUDACC__
#define GOTHIC_HD __host__ __device__
#define GOTHIC_UNROLL_ON_GPU(n) GOTHIC_PRAGMA(unroll n)
#define GOTHIC_NEVER_UNROLL GOTHIC_PRAGMA(unroll 1)
#else
#define GOTHIC_HD
#define GOTHIC_UNROLL_ON_GPU(n)
#define GOTHIC_NEVER_UNROLL GOTHIC_PRAGMA(GCC unroll 1)
#endif
