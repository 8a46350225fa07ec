#include <algorithm>
#include <sstream>

#include "core/device/cuda/defaults.hpp"
#include "core/device/cuda/driver.hpp"
#include "core/device/cuda/gpu.cuh"

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

int count() {
  int number = 0;
  const cudaError_t status = cudaGetDeviceCount(&number);
  cudaGetLastError();
  return status == cudaSuccess ? number : 0;
}

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

Event::Event() { check(cudaEventCreate(&event_), "make a timer"); }

void Event::record() { check(cudaEventRecord(event_, cudaStreamLegacy), "start a timer"); }

void Event::wait() const { check(cudaEventSynchronize(event_), "finish its work"); }

double Event::since(const Event& earlier) const {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, earlier.event_, event_), "read a timer");
  return 1e-3 * double(milliseconds);
}

Gpu::Gpu(int number) : number_(number), properties_(choose(number)), free_at_start_(free_memory()) {
  task_counts_.resize(1);
}

DeviceIdentity Gpu::identity() const {
  const auto attribute = [this](cudaDeviceAttr name) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, name, number_), "tell an attribute");
    return value;
  };
  char bus_id[32] = {};
  check(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, number_), "tell its bus");
  int cuda = 0;
  check(cudaRuntimeGetVersion(&cuda), "tell the version of CUDA");
  const DriverFacts driver = driver_facts(bus_id);
  std::ostringstream facts;
  facts.precision(3);
  facts << "gpu_memory=" << double(properties_.totalGlobalMem) / (1 << 30) << " GiB";
  if (!driver.version.empty()) facts << ", driver=" << driver.version;
  facts << ", cuda=" << cuda / 1000 << '.' << cuda % 1000 / 10
        << ", clock=" << attribute(cudaDevAttrClockRate) / 1000
        << " MHz, memory_clock=" << attribute(cudaDevAttrMemoryClockRate) / 1000 << " MHz";
  if (driver.power_limit > 0) facts << ", power_limit=" << driver.power_limit << " W";
  facts << ", ecc=" << (properties_.ECCEnabled ? "on" : "off");
  return {properties_.name, facts.str()};
}

std::size_t Gpu::free_memory() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "be asked for its free memory");
  return free;
}

std::size_t Gpu::used_memory() const {
  const std::size_t free = free_memory();
  return free < free_at_start_ ? free_at_start_ - free : 0;
}

void Gpu::wait() {
  work_counter.wait();
  check(cudaStreamSynchronize(cudaStreamLegacy), "finish its work");
}

std::byte* Gpu::scratch(std::size_t bytes) {
  if (bytes > scratch_.size()) scratch_.resize(bytes);
  return scratch_.data();
}

std::byte* Gpu::result(std::size_t bytes) {
  if (bytes > result_.size()) result_.resize(bytes);
  return result_.data();
}

const std::byte* Gpu::fetch(const void* source, std::size_t bytes) {
  if (bytes > fetched_.size()) fetched_.resize(bytes);
  check(cudaMemcpyAsync(fetched_.data(), source, bytes, cudaMemcpyDeviceToHost, cudaStreamLegacy),
        "copy to the host");
  wait();
  return fetched_.data();
}

std::size_t Gpu::ask(const void* kernel, int threads, std::size_t shared_bytes) const {
  constexpr std::size_t without_asking = 48 << 10;
  if (shared_bytes > without_asking) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               int(shared_bytes)),
          "give a kernel enough fast memory");
  }
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes),
        "be asked for its occupancy");
  return std::size_t(std::max(blocks, 1)) * std::size_t(multiprocessors());
}

std::size_t Gpu::resident_blocks(const void* kernel, int threads, std::size_t shared_bytes) {
  const auto key = std::make_tuple(kernel, threads, shared_bytes);
  auto known = known_kernels_.find(key);
  if (known == known_kernels_.end()) {
    known = known_kernels_.emplace(key, ask(kernel, threads, shared_bytes)).first;
  }
  return known->second;
}

TaskCounts* Gpu::task_counts() {
  check(cudaMemsetAsync(task_counts_.data(), 0, sizeof(TaskCounts), cudaStreamLegacy),
        "clear memory");
  return task_counts_.data();
}

Event Gpu::take_event() {
  if (events_.empty()) return Event();
  Event event = std::move(events_.back());
  events_.pop_back();
  return event;
}

}  // namespace gothic::cuda
