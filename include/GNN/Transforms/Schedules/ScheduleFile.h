//===- ScheduleFile.h - Schedules as lines of JSON --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line names a template by its computation, not by its place, and states its
// schedule. Listed, saved and applied schedules have the same format.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_SCHEDULES_SCHEDULEFILE_H
#define GNN_TRANSFORMS_SCHEDULES_SCHEDULEFILE_H

#include "GNN/Dialect/Tile/IR/Tile.h"
#include "GNN/Runtime/Error.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"

#include <map>

namespace gnn::tile {

/// The computation of a template and its place. Equal keys are equal kernels.
struct TemplateKey {
  std::string function, graph, kind, domain, body;
  std::vector<std::string> accesses, types;

  explicit TemplateKey(TileOpInterface op);
  TemplateKey() = default;

  auto tie() const {
    return std::tie(function, graph, kind, domain, accesses, types, body);
  }
  bool operator<(const TemplateKey &other) const { return tie() < other.tie(); }

  /// The name in files of the first part in which another key differs; empty if
  /// they are equal. `parts` gets the number of parts before it.
  std::string findDifference(const TemplateKey &other, unsigned &parts) const;
  /// A part by that name, as a file has it.
  std::string str(llvm::StringRef part) const;
};

/// Fields of a schedule with their values, as an attribute prints them.
using ScheduleFields = std::map<std::string, std::string>;

/// The fields that are set.
ScheduleFields getFields(mlir::Attribute schedule);

/// A line of a file.
struct ScheduleEntry {
  TemplateKey key;
  ScheduleFields fields;
  mlir::Location loc;
};

/// The lines of a file; reports errors at their line.
mlir::FailureOr<std::vector<ScheduleEntry>> readSchedules(mlir::Operation *op,
                                                          llvm::StringRef path);

/// The object of a line of JSON, none of whose names is doubled, of a key, and
/// of the fields in `schedule`; errors say what was expected.
gnn::runtime::Expected<llvm::json::Object> parseLine(llvm::StringRef line);
gnn::runtime::Expected<TemplateKey> readKey(const llvm::json::Object &line);
gnn::runtime::Expected<ScheduleFields>
readFields(const llvm::json::Object &line);
/// The error of a line that has not what is wanted by that name.
gnn::runtime::Error wrongField(const llvm::json::Object &line,
                               llvm::StringRef name, llvm::StringRef wanted);

/// Writes the attributes of a line, into its object: a key, and fields that are
/// set as `schedule`.
void writeKey(llvm::json::OStream &out, const TemplateKey &key);
void writeFields(llvm::json::OStream &out, llvm::ArrayRef<ScheduleField> table,
                 llvm::ArrayRef<int64_t> values);

/// Writes a file of lines; reports at `op` why it cannot.
mlir::LogicalResult writeSchedules(mlir::Operation *op, llvm::StringRef path,
                                   llvm::StringRef text);

/// Writes a line; `facts` may be null.
void printSchedule(llvm::raw_ostream &os, const TemplateKey &key,
                   mlir::Attribute schedule, const LayoutFacts *facts);

/// A schedule of the kind that the template has, or will have on the target of
/// its module.
ScheduleInterface getScheduleKind(TileOpInterface op);

/// The schedule of a template without the fields that are to vary, but for
/// those that its target leaves one value of: what `enumerateSchedules` begins
/// with.
mlir::FailureOr<mlir::Attribute> openFields(TileOpInterface op,
                                            llvm::ArrayRef<std::string> vary);

/// The schedule with these fields; reports invalid fields at `loc`.
mlir::FailureOr<mlir::Attribute> makeSchedule(TileOpInterface op,
                                              const ScheduleFields &fields,
                                              mlir::Location loc);

} // namespace gnn::tile

#endif // GNN_TRANSFORMS_SCHEDULES_SCHEDULEFILE_H
