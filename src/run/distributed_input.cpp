#include "run/distributed_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/device/host.hpp"
#include "core/messages/exchange.hpp"
#include "files/text.hpp"
#include "run/agreement.hpp"

namespace gothic {
namespace {

using files::Particles;
using files::Snapshot;

/// Type and ID of a particle: its place in the order of all.
using Place = std::array<std::uint64_t, 2>;

/// All of a particle.
struct Body {
  Place place;
  files::Vec3 position, velocity;
  float mass;
  std::int32_t component;
};

/// Values of rank 0, on all ranks.
template <class T>
std::vector<T> from_first(Communicator& ranks, std::vector<T> values) {
  if (ranks.rank() != 0) values.clear();
  return joined(ranks, values);
}

/// What rank 0 knows of a snapshot beside its particles, on all ranks.
Snapshot shared(Communicator& ranks, const Snapshot& about) {
  struct Numbers {
    files::Units units;
    double time, softening;
  };
  struct Component {
    std::array<std::size_t, 3> letters;  ///< of its name, its model and the model's digest
    std::uint8_t type;
    double softening;
  };
  std::vector<Component> components;
  std::vector<char> texts;
  for (const files::ComponentInfo& one : about.components) {
    components.push_back(
        {{one.name.size(), one.model.size(), one.model_digest.size()}, one.type, one.softening});
    for (const std::string* text : {&one.name, &one.model, &one.model_digest}) {
      texts.insert(texts.end(), text->begin(), text->end());
    }
  }
  const Numbers numbers =
      from_first<Numbers>(ranks, {{about.units, about.time, about.softening}}).front();
  components = from_first(ranks, components);
  texts = from_first(ranks, texts);
  Snapshot snapshot{.units = numbers.units,
                    .time = numbers.time,
                    .softening = numbers.softening,
                    .particles = {}};
  auto letter = texts.begin();
  for (const Component& one : components) {
    files::ComponentInfo info{.name = {}, .type = one.type, .softening = one.softening};
    std::size_t k = 0;
    for (std::string* text : {&info.name, &info.model, &info.model_digest}) {
      const auto end = letter + std::ptrdiff_t(one.letters[k++]);
      text->assign(letter, end);
      letter = end;
    }
    snapshot.components.push_back(std::move(info));
  }
  return snapshot;
}

/// The first particle of a rank's slice of n; rank 0 has one in any case.
std::size_t first_of(std::size_t n, int rank, int ranks) {
  return (n * std::size_t(rank) + std::size_t(ranks) - 1) / std::size_t(ranks);
}

/// Passes particles from rank 0 to another one, which has room for them.
void pass(Communicator& ranks, Particles& particles, int to) {
  const auto pass_array = [&](auto& values) {
    const auto message = [&](int other) {
      return std::vector<Message>{{other, reinterpret_cast<std::byte*>(values.data()),
                                   values.size() * sizeof(values.front())}};
    };
    const std::vector<Message> none;
    ranks.exchange(ranks.rank() == 0 ? message(to) : none, ranks.rank() == to ? message(0) : none,
                   Memory::host);
  };
  pass_array(particles.mass);
  pass_array(particles.position);
  pass_array(particles.velocity);
  pass_array(particles.id);
  pass_array(particles.type);
  pass_array(particles.component);
}

/// Number of ranks on the machine of this one.
int ranks_here(Communicator& ranks) {
  const HostName own = host_name();
  return int(std::ranges::count(gathered(ranks, own), own));
}

/// Throws if n particles cannot fit into the memory of this rank's machine.
void require_memory(Communicator& ranks, const std::filesystem::path& path, std::size_t n,
                    const MemoryNeed& need) {
  const int here = ranks_here(ranks), all = ranks.size();
  const double particles = double(n) * here / all, available = double(host_memory().available);
  const bool may_lack = need.to_work * particles > available && need.on_host != nullptr;
  const double wanted = particles * (may_lack && need.on_host() ? need.to_work : need.to_read);
  agree(ranks, [&] {
    if (available == 0 || wanted <= available) return;
    std::string on_each, for_these;
    if (all > 1) {
      on_each = fmt::format(" on each of {} ranks", all);
      for_these = fmt::format(" for {} of them", here);
    }
    throw std::runtime_error(fmt::format(
        "{}: {} particles take at least {} of memory{}, and {} are free{}; use a machine with more "
        "memory, or ranks on several machines",
        path.string(), n, files::bytes(wanted / here), on_each, files::bytes(available),
        for_these));
  });
}

/// Slices of the file of n particles that rank 0 reads, one after the other.
/// \param reader on rank 0
Particles read_slices(Communicator& ranks, std::optional<files::SnapshotReader>& reader,
                      std::size_t n) {
  Particles own;
  for (int to = 0; to < ranks.size(); ++to) {
    const std::size_t first = first_of(n, to, ranks.size()),
                      count = first_of(n, to + 1, ranks.size()) - first;
    Particles slice;
    agree(ranks, [&] {
      if (reader) {
        slice = reader->read(first, count);
      } else if (ranks.rank() == to) {
        slice.resize(count);
      }
    });
    if (to != 0) pass(ranks, slice, to);
    if (ranks.rank() == to) own = std::move(slice);
  }
  return own;
}

/// Whether keys ascend on every rank and from each to the next, and none occurs twice.
/// \param key of one of the own n elements
template <class KeyOf>
bool ascend(Communicator& ranks, std::size_t n, KeyOf key) {
  using Key = decltype(key(0));
  struct Range {
    bool ascends = true, is_empty = true;
    Key first{}, last{};
  };
  Range own;
  if (n > 0) own = {true, false, key(0), key(n - 1)};
  for (std::size_t i = 1; i < n; ++i) own.ascends &= key(i - 1) < key(i);
  const auto join = [](const Range& a, const Range& b) {
    if (a.is_empty) return b;
    if (b.is_empty) return a;
    return Range{a.ascends && b.ascends && a.last < b.first, false, a.first, b.last};
  };
  return combined(ranks, own, join).ascends;
}

/// Sorts values over all ranks: the values of each rank ascend, and the next rank's values are
/// larger. Equal values come to the same rank.
/// \param key of a value
template <class T, class KeyOf>
std::vector<T> sorted(Communicator& ranks, std::vector<T> values, KeyOf key) {
  using Key = std::decay_t<decltype(key(values.front()))>;
  constexpr std::size_t samples_of_rank = 1024;  // so ranks have about as many values each
  std::ranges::sort(values, {}, key);
  std::vector<Key> samples;
  for (std::size_t k = 0; k < samples_of_rank && !values.empty(); ++k) {
    samples.push_back(key(values[k * values.size() / samples_of_rank]));
  }
  samples = joined(ranks, samples);
  std::ranges::sort(samples);
  std::vector<Key> borders;  // the first keys of all ranks but the first
  for (int rank = 1; rank < ranks.size(); ++rank) {
    borders.push_back(samples[samples.size() * std::size_t(rank) / std::size_t(ranks.size())]);
  }
  values = sent_to_owners(ranks, values, [&](const T& value) {
    return std::size_t(std::ranges::upper_bound(borders, key(value)) - borders.begin());
  });
  std::ranges::sort(values, {}, key);
  return values;
}

std::vector<Body> bodies_of(const Particles& particles) {
  std::vector<Body> bodies(particles.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies[i] = {{particles.type[i], particles.id[i]},
                 particles.position[i],
                 particles.velocity[i],
                 particles.mass[i],
                 particles.component[i]};
  }
  return bodies;
}

Particles particles_of(const std::vector<Body>& bodies) {
  Particles particles;
  particles.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Body& body = bodies[i];
    particles.type[i] = std::uint8_t(body.place[0]);
    particles.id[i] = body.place[1];
    particles.position[i] = body.position;
    particles.velocity[i] = body.velocity;
    particles.mass[i] = body.mass;
    particles.component[i] = body.component;
  }
  return particles;
}

/// Throws if an ID is there twice.
void validate_ids(Communicator& ranks, const Particles& particles,
                  const files::Complain& complain) {
  struct Found {
    bool is_there;
    std::uint64_t id;
  };
  const std::vector<std::uint64_t>& ids = particles.id;
  if (ascend(ranks, ids.size(), [&](std::size_t i) { return ids[i]; })) return;
  const auto own = files::repeated_id(sorted(ranks, ids, std::identity()));
  const Found twice = combined(ranks, Found{own.has_value(), own.value_or(0)},
                               [](Found a, Found b) { return a.is_there ? a : b; });
  if (!twice.is_there) return;
  const auto owner = std::ranges::find(ids, twice.id);
  const int own_type =
      owner == ids.end() ? files::particle_types : particles.type[std::size_t(owner - ids.begin())];
  const int type = combined(ranks, own_type, [](int a, int b) { return std::min(a, b); });
  agree(ranks, [&] {
    if (ranks.rank() == 0) files::refuse_repeated_id(twice.id, type, complain);
  });
}

/// Validates a snapshot of which every rank has a slice, and the first one the first particle.
void validate(Communicator& ranks, const Snapshot& snapshot, files::Masses masses,
              const files::Complain& complain) {
  const Particles& particles = snapshot.particles;
  agree(ranks, [&] { files::validate_each(snapshot, complain); });
  const double total = combined(ranks, files::total_mass(particles), std::plus<>());
  agree(ranks, [&] {
    if (ranks.rank() == 0) {
      files::validate_total_mass(total, masses, particles.type.front(), complain);
    }
  });
  validate_ids(ranks, particles, complain);
}

}  // namespace

bool in_order(Communicator& ranks, const files::Particles& particles) {
  return ascend(ranks, particles.size(), [&](std::size_t i) {
    return Place{particles.type[i], particles.id[i]};
  });
}

Snapshot read_in_parts(Communicator& ranks, const std::filesystem::path& path, files::Masses masses,
                       const MemoryNeed& need, const files::Reading& reading) {
  std::optional<files::SnapshotReader> reader;
  agree(ranks, [&] {
    if (leads(ranks)) reader.emplace(path, reading);
  });
  const std::size_t n = combined(ranks, reader ? reader->size() : std::size_t(0), std::plus<>());
  require_memory(ranks, path, n, need);
  if (ranks.size() == 1) return files::read_snapshot(std::move(*reader), masses);
  Snapshot snapshot = shared(ranks, reader ? reader->about() : Snapshot());
  snapshot.particles = read_slices(ranks, reader, n);
  validate(ranks, snapshot, masses, files::complaints_about(path));
  Particles& particles = snapshot.particles;
  if (!in_order(ranks, particles)) {
    particles = particles_of(sorted(ranks, bodies_of(std::exchange(particles, {})),
                                    [](const Body& b) { return b.place; }));
  }
  return snapshot;
}

}  // namespace gothic
