#pragma once

/// \file
/// What compilers must be told, each in its own words.
///
/// * GOTHIC_HD: before a function that may run on the host and on the device
/// * GOTHIC_DEVICE: in a lambda that only a device calls; see docs/howto_device.md
/// * GOTHIC_UNROLL_ON_GPU(n): before a loop of which a GPU takes n rounds at a time
/// * GOTHIC_NEVER_UNROLL: before a loop whose rounds have the same instructions, to the last bit
/// * GOTHIC_OUT_OF_LINE: before a function that rounds alike in all that a CPU's compiler builds
#define GOTHIC_PRAGMA(text) _Pragma(#text)
#ifdef __CUDACC__
#define GOTHIC_HD __host__ __device__
#define GOTHIC_DEVICE __device__
#define GOTHIC_UNROLL_ON_GPU(n) GOTHIC_PRAGMA(unroll n)
#define GOTHIC_NEVER_UNROLL GOTHIC_PRAGMA(unroll 1)
#define GOTHIC_OUT_OF_LINE
#else
#define GOTHIC_HD
#define GOTHIC_DEVICE
#define GOTHIC_UNROLL_ON_GPU(n)
#define GOTHIC_NEVER_UNROLL GOTHIC_PRAGMA(GCC unroll 1)
#define GOTHIC_OUT_OF_LINE [[gnu::noinline]]
#endif
