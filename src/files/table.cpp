#include "files/table.hpp"

#include <mutex>
#include <stdexcept>

#include "files/input_file.hpp"

namespace gothic::files {
namespace {

constexpr std::size_t rows_per_chunk = 1024;
void create_column(hid_t group, const TableWriter::Column& column) {
  const hsize_t none = 0, chunk = rows_per_chunk, unlimited = H5S_UNLIMITED;
  const hdf5::Handle space(H5Screate_simple(1, &none, &unlimited), H5Sclose, column.name);
  const hdf5::Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, column.name);
  hdf5::check(H5Pset_chunk(properties.id(), 1, &chunk), column.name);
  hdf5::check(H5Pset_obj_track_times(properties.id(), false), column.name);
  const hid_t type = column.kind == TableWriter::Kind::integer ? H5T_STD_I64LE : H5T_IEEE_F64LE;
  const hdf5::Handle dataset(H5Dcreate2(group, column.name.c_str(), type, space.id(), H5P_DEFAULT,
                                        properties.id(), H5P_DEFAULT),
                             H5Dclose, column.name);
  write_attribute(dataset.id(), "Unit", column.unit);
  write_attribute(dataset.id(), "Meaning", column.meaning);
}

hdf5::Handle open_column(hid_t group, const std::string& name) {
  return {H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose, name};
}

/// Opens a file again; nothing if a lock of another process forbids that.
/// \param access H5F_ACC_RDONLY, which shares the lock with other readers, or H5F_ACC_RDWR
hdf5::Handle opened(const std::filesystem::path& path, unsigned access, bool with_locks = true) {
  const hdf5::Handle properties(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file");
  if (!with_locks) hdf5::check(H5Pset_file_locking(properties.id(), false, true), "file");
  const hid_t file = H5Fopen(path.c_str(), access, properties.id());
  return file < 0 ? hdf5::Handle() : hdf5::Handle(file, H5Fclose, "file");
}

template <class T>
void extend(hid_t dataset, hsize_t rows_before, const std::vector<T>& values) {
  const hsize_t rows_after = rows_before + values.size();
  hdf5::check(H5Dset_extent(dataset, &rows_after), "extending a column");
  hdf5::write_rows(dataset, hdf5::native_type<T>(), rows_before, values.size(), values.data());
}

/// Writes the rows of a dataset, and further ones, as another dataset. H5Ocopy would crash if the
/// disk is full.
template <class T>
void copy_column(hid_t from, hid_t group, const std::string& name, std::size_t rows,
                 const std::vector<T>& more) {
  std::vector<T> values(rows);
  const hid_t type = hdf5::native_type<T>();
  hdf5::check(H5Dread(from, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), name);
  values.insert(values.end(), more.begin(), more.end());
  hdf5::write_dataset(group, name, values);
}

}  // namespace

TableWriter::TableWriter(const std::filesystem::path& path, std::string group,
                         std::vector<Column> columns, const Provenance& provenance,
                         const std::filesystem::path& earlier)
    : file_(path), group_(std::move(group)) {
  file_.guard([&] {
    write_provenance(file_.id(), provenance);
    const hdf5::Handle parent = hdf5::open_or_create_group(file_.id(), group_);
    for (Column& column : columns) {
      create_column(parent.id(), column);
      targets_.push_back({std::move(column), {}});
      if (targets_.back().column.kind == Kind::integer) {
        targets_.back().buffer = std::vector<std::int64_t>();
      }
    }
  });
  file_.close();
  if (!earlier.empty()) take_rows(InputFile(earlier));
}

void TableWriter::take_rows(const InputFile& from) {
  for (Target& target : targets_) {
    const std::string field = "/" + group_ + "/" + target.column.name;
    std::visit(
        [&]<class T>(std::vector<T>& rows) {
          rows = from.all<T>(field);
          rows_buffered_ = rows.size();
        },
        target.buffer);
  }
  write_buffered();
}

void TableWriter::append(std::span<const Value> row) {
  if (row.size() != targets_.size()) {
    throw std::invalid_argument("a row of " + std::to_string(row.size()) +
                                " values for a table of " + std::to_string(targets_.size()) +
                                " columns");
  }
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (targets_[i].column.kind == Kind::integer && std::holds_alternative<double>(row[i])) {
      throw std::invalid_argument("column " + targets_[i].column.name + " holds integers");
    }
  }
  for (std::size_t i = 0; i < row.size(); ++i) {
    std::visit(
        []<class T>(std::vector<T>& rows, auto value) { rows.push_back(static_cast<T>(value)); },
        targets_[i].buffer, row[i]);
  }
  ++rows_buffered_;
}

void TableWriter::flush() {
  const hdf5::Lock lock(std::try_to_lock);
  if (lock) write_buffered();  // else a snapshot is being written; the rows can wait
}

void TableWriter::copy_to(hid_t file) {
  const hdf5::Lock lock;
  const hdf5::Handle own = opened(file_.partial(), H5F_ACC_RDONLY);
  if (own.id() < 0) throw hdf5::Failure(file_.partial().string() + " cannot be read");
  const hdf5::Handle from = hdf5::open_or_create_group(own.id(), group_),
                     to = hdf5::open_or_create_group(file, group_);
  for (const Target& target : targets_) {
    const std::string& name = target.column.name;
    const hdf5::Handle column = open_column(from.id(), name);
    std::visit(
        [&](const auto& rows) { copy_column(column.id(), to.id(), name, rows_written_, rows); },
        target.buffer);
  }
}

void TableWriter::set_attributes(const std::string& group, const Attributes& attributes) {
  const hdf5::Lock lock;
  file_.guard([&] {
    const hdf5::Handle file = opened(file_.partial(), H5F_ACC_RDWR, false);
    hdf5::check(file.id(), "the unfinished file");
    write_attributes(file.id(), group, attributes);
    hdf5::check(H5Fflush(file.id(), H5F_SCOPE_LOCAL), "flushing");
  });
}

void TableWriter::finish() {
  {
    const hdf5::Lock lock;
    write_buffered(false);
  }
  file_.commit();  // which waits for the disk, and does not need the library
}

void TableWriter::write_buffered(bool yields_to_readers) {
  if (rows_buffered_ == 0) return;
  bool is_written = false;
  file_.guard([&] {
    const hdf5::Handle file = opened(file_.partial(), H5F_ACC_RDWR, yields_to_readers);
    if (file.id() < 0 && yields_to_readers) return;
    hdf5::check(file.id(), "the unfinished file");
    const hdf5::Handle group = hdf5::open_or_create_group(file.id(), group_);
    for (Target& target : targets_) {
      const hdf5::Handle column = open_column(group.id(), target.column.name);
      std::visit([&](auto& rows) { extend(column.id(), rows_written_, rows); }, target.buffer);
    }
    hdf5::check(H5Fflush(file.id(), H5F_SCOPE_LOCAL), "flushing");
    is_written = true;
  });
  if (!is_written) return;
  // Rows are dropped only when all are written: if the disk is full now, they may be written later.
  for (Target& target : targets_) {
    std::visit([](auto& rows) { rows.clear(); }, target.buffer);
  }
  rows_written_ += rows_buffered_;
  rows_buffered_ = 0;
}

}  // namespace gothic::files
