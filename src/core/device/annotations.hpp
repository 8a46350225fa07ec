#pragma once

/// Marks a function that both the host's and the GPU's code may call.
#ifdef __CUDACC__
#define GOTHIC_HD __host__ __device__
#else
#define GOTHIC_HD
#endif
