//===- Store.h - Measurements in a file -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line of JSON for each schedule that was measured: the cell, the key of the
// template as schedule files have it, the schedule, and its time or why there
// is none. Lines are added; several processes may write one file.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TUNE_STORE_H
#define GNN_TUNE_STORE_H

#include "GNN/Transforms/Schedules/ScheduleFile.h"
#include "GNN/Tune/Search.h"

#include <memory>

namespace gnn::tune {

/// Where a measurement belongs.
struct Cell {
  /// Told by who measures: the graph, the operator, the width.
  std::string name;
  tile::TemplateKey key;
  /// The device, and the compiler.
  std::string device, version;
};

/// A file that measurements are added to.
class Store {
public:
  /// Opens or creates it; the error says why it cannot be written.
  static runtime::Expected<std::unique_ptr<Store>>
  open(const std::string &path);
  ~Store();

  /// Adds a line, whole, whoever else adds lines.
  runtime::Error add(const Cell &cell,
                     llvm::ArrayRef<tile::ScheduleField> fields,
                     const Trial &trial);

private:
  explicit Store(std::string path, int file)
      : path(std::move(path)), file(file) {}
  const std::string path;
  const int file;
};

/// A line of a store.
struct StoredMeasurement {
  Cell cell;
  tile::ScheduleFields fields;
  Measurement measured;
};

/// The lines of a store. The error has the number of the line that is wrong.
runtime::Expected<std::vector<StoredMeasurement>>
readStore(const std::string &path);

} // namespace gnn::tune

#endif // GNN_TUNE_STORE_H
