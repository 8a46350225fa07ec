#pragma once

#include <memory>

#include "core/engine/engine.hpp"

/// One engine for each kind of device, each compiled by that device's compiler.
namespace gothic {

std::unique_ptr<Engine> make_cpu_engine(int threads);
/// \param number of a GPU that can be used
std::unique_ptr<Engine> make_cuda_engine(int number, const BlockSizes& blocks);

}  // namespace gothic
