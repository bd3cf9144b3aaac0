//===- Records.h - Schedules that were found by measuring -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record has the fastest measured schedule of a computation, on a graph with
// similar statistics and one kind of chip. Unlike a line of a schedule file it
// names no function and no graph, and it never makes a compilation fail.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_SCHEDULES_RECORDS_H
#define GNN_TRANSFORMS_SCHEDULES_RECORDS_H

#include "GNN/Runtime/Error.h"
#include "GNN/Transforms/Schedules/ScheduleFile.h"

#include "llvm/Support/JSON.h"

namespace gnn::tile {

/// The key by which the record of a template is found: the template's key
/// without function and graph, the statistics of its graph in steps of a factor
/// of two, the target, and the version of the compiler.
using RecordKey = std::map<std::string, llvm::json::Value>;
RecordKey describeForRecord(TileOpInterface op);

/// A record as a line without its end, of a schedule that took `ratio` of the
/// chosen one's time.
std::string printRecord(TileOpInterface op, ScheduleInterface kind,
                        llvm::ArrayRef<int64_t> values, double ratio);

/// An error if the file at `path` is one of another kind.
runtime::Error expectRecords(const std::string &path);

/// An error if records cannot be added to the file at `path`, or if it is a
/// file of another kind.
runtime::Error checkRecords(const std::string &path);

/// Adds a record to a file. If more than half of its records are superseded by
/// later ones with the same key, these are removed. Several processes may add
/// records.
runtime::Error addRecord(const std::string &path, llvm::StringRef record);

} // namespace gnn::tile

#endif // GNN_TRANSFORMS_SCHEDULES_RECORDS_H
