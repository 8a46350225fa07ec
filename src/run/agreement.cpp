#include "run/agreement.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <vector>

#include "core/messages/exchange.hpp"
#include "core/setting_error.hpp"
#include "files/error.hpp"

namespace gothic {
namespace {

struct Failure {
  std::exception_ptr exception;
  Fault fault;
  std::string message;
};

std::optional<Failure> failure_of(const std::function<void()>& action) {
  try {
    action();
    return {};
  } catch (const InputError& error) {
    return Failure{std::current_exception(), Fault::usage, error.what()};
  } catch (const SettingError& error) {
    return Failure{std::current_exception(), Fault::usage, error.what()};
  } catch (const std::filesystem::filesystem_error& error) {
    return Failure{std::current_exception(), Fault::usage, bad_path_message(error)};
  } catch (const std::bad_alloc& error) {
    return Failure{std::current_exception(), Fault::machine, out_of_memory_message(error)};
  } catch (const std::exception& error) {
    return Failure{std::current_exception(), Fault::machine, error.what()};
  }
}

}  // namespace

void agree(Communicator& ranks, const std::function<void()>& local_action) {
  if (ranks.size() == 1) return local_action();
  const std::optional<Failure> own = failure_of(local_action);
  const std::vector<int> failed = gathered(ranks, int(own.has_value()));
  const auto lowest = std::ranges::find(failed, 1);
  if (lowest == failed.end()) return;
  const int rank = int(lowest - failed.begin());
  std::vector<Fault> fault;
  std::vector<char> message;
  if (rank == ranks.rank()) {
    fault = {own->fault};
    message = {own->message.begin(), own->message.end()};
  }
  fault = joined(ranks, fault);
  message = joined(ranks, message);
  if (rank == ranks.rank()) std::rethrow_exception(own->exception);
  throw FailedElsewhere(rank, fault.front(), {message.begin(), message.end()});
}

}  // namespace gothic
