//===- Store.h - Measurements in a file -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file with a line of JSON for each schedule that was measured: the cell, the
// key of the template as in schedule files, the schedule, and its time or the
// reason that there is none. Lines are appended, and several processes may
// write one file.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TUNE_STORE_H
#define GNN_TUNE_STORE_H

#include "GNN/Transforms/Schedules/ScheduleFile.h"
#include "GNN/Tune/Search.h"

#include <map>
#include <memory>

namespace gnn::tune {

/// The origin of a measurement.
struct Cell {
  /// The name that the user gives: usually graph, operator and width.
  std::string name;
  tile::TemplateKey key;
  /// The device, and the compiler.
  std::string device, version;
};

/// A file that measurements are appended to, by several processes at once if
/// need be.
class Store {
public:
  explicit Store(std::string path) : path(std::move(path)) {}

  /// The error if the file cannot be written. Writes nothing.
  runtime::Error check() const;

  runtime::Error add(const Cell &cell,
                     llvm::ArrayRef<tile::ScheduleField> fields,
                     const Trial &trial) const;

private:
  const std::string path;
};

/// A line of a store.
struct StoredMeasurement {
  Cell cell;
  tile::ScheduleFields fields;
  Measurement measured;
  /// The file and the number of the line, for errors.
  std::string place;

  /// Whether it is of a template of a cell.
  bool isOf(llvm::StringRef name, const tile::TemplateKey &key) const {
    return cell.name == name && cell.key.tie() == key.tie();
  }
};

/// Reads the lines of a store. The error has the number of the invalid line.
runtime::Expected<std::vector<StoredMeasurement>>
readStore(const std::string &path);

/// Measures nothing: replays a store, so that searches are compared without a
/// device. Where a schedule has several lines, the last one counts. One that
/// has none is dropped, and is not in the space. The chosen schedule is the
/// first of the store, whose time the ratios are relative to: the rules may
/// choose another one since.
class StoreMeasurer : public Measurer {
public:
  using Complete = std::function<runtime::Expected<Schedule>(const Schedule &)>;
  /// The schedule with these fields. The error says which the template cannot
  /// have.
  using Read =
      std::function<runtime::Expected<Schedule>(const tile::ScheduleFields &)>;

  /// The lines of `stored` that are of this cell by name and key. The error
  /// says that there are none, or of several devices, or which line cannot be
  /// read.
  static runtime::Expected<std::unique_ptr<StoreMeasurer>>
  create(llvm::ArrayRef<StoredMeasurement> stored, llvm::StringRef cell,
         const tile::TemplateKey &key, SearchSpace space, const Read &read,
         Complete complete);

  const SearchSpace &space() const override { return schedules; }
  /// As the passes complete it; if the store lacks that, as its only schedule
  /// that differs in open fields alone that no listed schedule sets.
  runtime::Expected<Schedule> complete(const Schedule &schedule) override;
  std::vector<Measurement> measure(llvm::ArrayRef<Schedule> asked) override;
  /// The seconds that the replayed measurements took when they were made.
  double elapsed() const override { return seconds; }
  /// The device of the lines.
  const std::string &device() const { return deviceName; }
  /// The measurement of a complete schedule, or null.
  const Measurement *find(const Schedule &schedule) const {
    auto found = known.find(schedule);
    return found == known.end() ? nullptr : &found->second;
  }

private:
  StoreMeasurer(SearchSpace space, Complete complete)
      : schedules(std::move(space)), completeSchedule(std::move(complete)) {}
  void keepKnown();

  SearchSpace schedules;
  Complete completeSchedule;
  std::map<Schedule, Measurement> known;
  /// The fields that listed schedules set; the rules alone choose the others.
  std::vector<bool> isListed;
  std::string deviceName;
  double seconds = 0;
};

} // namespace gnn::tune

#endif // GNN_TUNE_STORE_H
