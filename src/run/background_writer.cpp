#include "run/background_writer.hpp"

#include <chrono>
#include <utility>

namespace gothic {

void BackgroundWriter::write(SavedState state, std::filesystem::path path,
                             const files::Provenance& provenance, int compression) {
  wait();
  path_ = std::move(path);
  writing_ = std::async(std::launch::async, [=, this, state = std::move(state)] {
    const auto& [step, snapshot, forces] = state;
    if (!path_.empty()) {
      files::write_snapshot(path_, snapshot, provenance, &forces, compression);
    }
    return lagrange_records(step, snapshot);
  });
}

void BackgroundWriter::wait() {
  if (!writing_.valid()) return;
  for (const LagrangeRecord& record : writing_.get()) log_.append(record);
  if (!path_.empty()) monitor_.wrote_snapshot(path_.string());
}

void BackgroundWriter::look() {
  const auto now = std::chrono::seconds(0);
  if (writing_.valid() && writing_.wait_for(now) == std::future_status::ready) wait();
}

}  // namespace gothic
