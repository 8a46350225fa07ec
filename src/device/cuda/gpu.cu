#include <algorithm>

#include "device/cuda/defaults.hpp"
#include "device/cuda/gpu.cuh"

namespace gothic::cuda {

namespace {

__global__ void do_nothing() {}

cudaDeviceProp choose(int number) {
  check(cudaSetDevice(number), "be chosen");
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, number), "be asked for its properties");
  return properties;
}

}  // namespace

std::string problem_with(int number) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (status != cudaSuccess) return std::string("is not there: ") + cudaGetErrorString(status);
  if (number >= count) return "is not there: this machine has " + std::to_string(count) + " GPU(s)";
  const auto usable = [](cudaError_t error) {
    cudaGetLastError();
    return error == cudaSuccess ? "" : std::string("cannot be used: ") + cudaGetErrorString(error);
  };
  const std::string problem = usable(cudaSetDevice(number));
  cudaFuncAttributes attributes;
  return problem.empty() ? usable(cudaFuncGetAttributes(&attributes, do_nothing)) : problem;
}

PinnedState::PinnedState() {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, sizeof(TaskState)), "allocate memory on the host");
  state_.reset(static_cast<TaskState*>(memory));
  *state_ = {};
}

Gpu::Gpu(int number) : properties_(choose(number)) {
  tasks_.resize(1);
  tasks_.upload(std::span(tasks_on_host_.get(), 1));
  const std::size_t warps = std::size_t(multiprocessors()) * Defaults::warp_blocks *
                            (Defaults::warp_threads / std::size_t(properties_.warpSize));
  lists_.resize(std::min(warps * Defaults::list_memory, free_memory() / 4));
}

std::size_t Gpu::free_memory() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "be asked for its free memory");
  return free;
}

void Gpu::wait() {
  check(cudaStreamSynchronize(cudaStreamLegacy), "finish its work");
  if (tasks_on_host_.get()->exhausted != 0) {
    *tasks_on_host_.get() = {};
    tasks_.upload(std::span(tasks_on_host_.get(), 1));
    throw OutOfListMemory();
  }
}

std::byte* Gpu::scratch(std::size_t bytes) {
  if (bytes > scratch_.size()) scratch_.resize(bytes);
  return scratch_.data();
}

std::byte* Gpu::result(std::size_t bytes) {
  if (bytes > result_.size()) result_.resize(bytes);
  return result_.data();
}

ListMemory Gpu::list_memory(std::size_t warps) {
  constexpr std::size_t alignment = 256;
  return {lists_.data(), lists_.size() / warps / alignment * alignment};
}

TaskState* Gpu::begin_tasks() {
  // `exhausted` stays until the host has seen it.
  check(cudaMemsetAsync(&tasks_.data()->next, 0, sizeof(TaskState::next), cudaStreamLegacy),
        "clear memory");
  return tasks_.data();
}

void Gpu::end_tasks() {
  check(cudaMemcpyAsync(tasks_on_host_.get(), tasks_.data(), sizeof(TaskState),
                        cudaMemcpyDeviceToHost, cudaStreamLegacy),
        "copy to the host");
}

Event::Event() { check(cudaEventCreate(&event_), "make a timer"); }

void Event::record() { check(cudaEventRecord(event_, cudaStreamLegacy), "start a timer"); }

double Event::since(const Event& earlier) const {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, earlier.event_, event_), "read a timer");
  return 1e-3 * double(milliseconds);
}

}  // namespace gothic::cuda
