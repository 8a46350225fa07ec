#include "run/run_logs.hpp"

#include <algorithm>
#include <cctype>
#include <future>

namespace gothic {
namespace {

constexpr std::chrono::seconds flush_interval{2};

std::vector<files::TableWriter::Column> described(const std::vector<Column>& columns) {
  using Kind = files::TableWriter::Kind;
  std::vector<files::TableWriter::Column> result;
  for (const Column& column : columns) {
    const Kind kind = column.is_integer ? Kind::integer : Kind::real;
    result.push_back({column.name, kind, column.unit, column.meaning});
  }
  return result;
}

}  // namespace

RunLogs::Log::Log(const std::filesystem::path& folder, const Observer& about,
                  const files::Provenance& provenance, const std::filesystem::path& checkpoint)
    : observer(about.name),
      table(folder / (about.name + ".h5"), log_group(about.name), described(about.columns),
            provenance, checkpoint) {}

RunLogs::RunLogs(const std::filesystem::path& folder, const std::vector<Observer>& observers,
                 const files::Snapshot& snapshot, const files::Provenance& provenance,
                 const std::filesystem::path& checkpoint) {
  files::Attributes names;
  for (std::size_t i = 0; i < snapshot.components.size(); ++i) {
    names[std::to_string(i)] = snapshot.components[i].name;
  }
  for (const Observer& observer : observers) {
    files::TableWriter& table = logs_.emplace_back(folder, observer, provenance, checkpoint).table;
    const bool has_components =
        std::ranges::find(observer.columns, "component", &Column::name) != observer.columns.end();
    if (has_components && !names.empty()) table.set_attributes("ComponentNames", names);
  }
}

void RunLogs::append(const std::string& observer, const std::vector<Row>& rows) {
  files::TableWriter& table = std::ranges::find(logs_, observer, &Log::observer)->table;
  for (const Row& row : rows) table.append(row);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_flush_ < flush_interval) return;
  for (Log& log : logs_) log.table.flush();
  last_flush_ = now;
}

std::vector<files::TableWriter*> RunLogs::tables() {
  std::vector<files::TableWriter*> tables;
  for (Log& log : logs_) tables.push_back(&log.table);
  return tables;
}

void RunLogs::finish(const files::Attributes& timing) {
  std::vector<std::future<void>> others;  // they wait for the disk side by side
  for (std::size_t i = 1; i < logs_.size(); ++i) {
    others.push_back(std::async(std::launch::async, [&, i] { logs_[i].table.finish(); }));
  }
  for (std::future<void>& one : others) one.get();
  logs_.front().table.set_attributes("Timing", timing);
  logs_.front().table.finish();
}

std::string log_group(const std::string& observer) {
  std::string group;
  bool is_first = true;  // letter of a word
  for (const char letter : observer) {
    if (letter != '_') group += is_first ? char(std::toupper(letter)) : letter;
    is_first = letter == '_';
  }
  return group;
}

}  // namespace gothic
