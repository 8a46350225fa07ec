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

/// Of a GPU that is there.
std::string bus_id_of(int number) {
  char bus_id[32] = {};
  check(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, number), "tell its bus");
  return bus_id;
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
  begin_driver_facts(bus_id_of(number));
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
  unread_.resize(1);
}

DeviceIdentity Gpu::identity() const {
  const auto attribute = [this](cudaDeviceAttr name) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, name, number_), "tell an attribute");
    return value;
  };
  int cuda = 0;
  check(cudaRuntimeGetVersion(&cuda), "tell the version of CUDA");
  const DriverFacts driver = driver_facts(bus_id_of(number_));
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
  note_idle();
}

std::byte* Gpu::scratch(std::size_t bytes) {
  if (bytes > scratch_.size()) scratch_.resize(bytes);
  return scratch_.data();
}

std::pair<unsigned*, std::byte*> Gpu::block_counts(std::size_t bytes) {
  constexpr std::size_t number = 16;  // bytes of it, so that what follows is aligned
  if (number + bytes > block_counts_.size()) {
    block_counts_.resize(number + bytes);
    check(cudaMemsetAsync(block_counts_.data(), 0, block_counts_.size(), cudaStreamLegacy),
          "clear memory");
  }
  return {reinterpret_cast<unsigned*>(block_counts_.data()), block_counts_.data() + number};
}

Arrival Gpu::take_arrival(std::size_t bytes) {
  Arrival arrival;
  if (!arrivals_.empty()) {
    arrival = std::move(arrivals_.back());
    arrivals_.pop_back();
  }
  if (bytes > arrival.bytes.size()) arrival.bytes.resize(bytes);
  arrival.number = ++started_;
  return arrival;
}

const std::byte* Gpu::arrived(const Arrival& arrival) {
  if (arrival.number > arrived_) wait();
  return arrival.bytes.data();
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
