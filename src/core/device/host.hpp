#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace gothic {

/// Memory of this process and of its machine in bytes; 0 where the system does not tell.
struct HostMemory {
  /// The most that the process had so far. Unlike getrusage() this leaves out the program that
  /// started it.
  std::size_t peak = 0;
  std::size_t available = 0;  ///< that programs can still take
};

/// Reads /proc.
HostMemory host_memory();

/// All memory of the machine in bytes; 0 where the system does not tell.
std::size_t machine_memory();

/// The processor as its maker calls it; empty where the system does not tell.
std::string processor_name();

/// The name of this machine, in a form that ranks can tell each other.
using HostName = std::array<char, 256>;
HostName host_name();

/// The number of cores that this process may use.
int usable_cores();

/// The number of threads that a program takes: the one that it was told, or else OMP_NUM_THREADS,
/// as other programs do, or else usable_cores().
int host_threads();
/// Tells the number of threads that the program is to take.
void use_host_threads(int threads);

}  // namespace gothic
