#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "core/messages/communicator.hpp"

/// What goes wrong on one rank ends the work of all.
namespace gothic {

/// Who can correct a failure.
enum class Fault {
  usage,   ///< the user: wrong usage or wrong input
  machine  ///< nobody here: memory, disks, devices
};

/// Another rank failed, and speaks for all. what() is the other's message.
struct FailedElsewhere : std::runtime_error {
  FailedElsewhere(int rank, Fault fault, const std::string& message)
      : std::runtime_error(message), rank(rank), fault(fault) {}

  int rank;
  Fault fault;
};

/// Runs an action without communication on every rank. If it throws on some, then every rank
/// throws: the lowest of these what the action threw, and all others FailedElsewhere about it.
void agree(Communicator& ranks, const std::function<void()>& local_action);

}  // namespace gothic
