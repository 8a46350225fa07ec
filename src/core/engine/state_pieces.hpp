#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/device/device.hpp"
#include "core/dynamics/bodies.hpp"
#include "core/dynamics/time_grid.hpp"
#include "core/engine/set_up.hpp"
#include "core/messages/exchange.hpp"
#include "core/messages/slices.hpp"
#include "core/particles.hpp"

namespace gothic {

/// Brings the present state of particles to the host, some of them at a time.
template <DeviceType Device>
class StatePieces {
 public:
  /// \param bodies predicted to the time `now`, which must not change
  StatePieces(Device& device, const Bodies<Device>& bodies, const TimeGrid& grid, std::int64_t now)
      : device_(device), bodies_(bodies), grid_(grid), now_(now) {}

  /// Puts the states of some particles side by side.
  /// \param places [count] of the particles
  void gather(const std::uint32_t* places, std::size_t count) {
    count_ = count;
    for (auto* const vectors : {&position_, &velocity_, &acceleration_}) vectors->resize(3 * count);
    potential_.resize(count);
    slot_.resize(count);
    const Vec4 *const predicted = bodies_.predicted.data(),
                      *const velocity = bodies_.velocity.data(),
                      *const acceleration = bodies_.acceleration.data();
    const std::uint8_t* const level = bodies_.level.data();
    const std::uint32_t* const all_slots = bodies_.slot.data();
    float *const r_out = position_.data(), *const v_out = velocity_.data(),
                 *const a_out = acceleration_.data(), *const potential = potential_.data();
    std::uint32_t* const slot = slot_.data();
    const double tick = grid_.tick;
    const std::int64_t now = now_;
    device_.for_each(count, [=] GOTHIC_DEVICE(std::size_t k) {
      const std::uint32_t i = places[k];
      const float dt = float(double(now - TimeGrid::last(level[i], now)) * tick);
      const Vec4 r = predicted[i], v = velocity[i], a = acceleration[i];
      const float rva[3][3] = {
          {r.x, r.y, r.z}, {v.x + dt * a.x, v.y + dt * a.y, v.z + dt * a.z}, {a.x, a.y, a.z}};
      for (int axis = 0; axis < 3; ++axis) {
        r_out[3 * k + axis] = rva[0][axis];
        v_out[3 * k + axis] = rva[1][axis];
        a_out[3 * k + axis] = rva[2][axis];
      }
      potential[k] = a.w;
      slot[k] = all_slots[i];
    });
  }

  /// Copies them to consecutive places of the host.
  void download(Particles& particles, Forces& forces, std::size_t first) const {
    const auto copy = [&](const Buffer<float>& from, std::vector<Vec3>& to) {
      from.download(flat(std::span(to).subspan(first, count_)));
    };
    copy(position_, particles.position);
    copy(velocity_, particles.velocity);
    copy(acceleration_, forces.acceleration);
    potential_.download(std::span(forces.potential).subspan(first, count_));
  }

  /// Sends them to the ranks in whose slices of the input they are, which put them there.
  void send_to_owners(Communicator& ranks, const Slices& input, Particles& particles,
                      Forces& forces) const {
    struct Sent {
      std::uint32_t slot;
      Vec3 position, velocity, acceleration;
      float potential;
    };
    const auto vectors = [](const Buffer<float>& values) {
      std::vector<Vec3> host(values.size() / 3);
      values.download(flat(host));
      return host;
    };
    const std::vector<Vec3> position = vectors(position_), velocity = vectors(velocity_),
                            acceleration = vectors(acceleration_);
    const std::vector<float> potential = potential_.downloaded();
    const std::vector<std::uint32_t> slot = slot_.downloaded();
    std::vector<Sent> sent(count_);
    for (std::size_t k = 0; k < count_; ++k) {
      sent[k] = {slot[k], position[k], velocity[k], acceleration[k], potential[k]};
    }
    for (const Sent& one : sent_to_owners(ranks, std::move(sent),
                                          [&](const Sent& s) { return input.owner(s.slot); })) {
      const std::size_t out = one.slot - input.first;
      particles.position[out] = one.position;
      particles.velocity[out] = one.velocity;
      forces.acceleration[out] = one.acceleration;
      forces.potential[out] = one.potential;
    }
  }

 private:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  Device& device_;
  const Bodies<Device>& bodies_;
  const TimeGrid& grid_;
  std::int64_t now_;
  std::size_t count_ = 0;
  Buffer<float> position_, velocity_, acceleration_;  ///< [3 count_] coordinates
  Buffer<float> potential_;
  Buffer<std::uint32_t> slot_;
};

}  // namespace gothic
