//===- ApplyRecords.cpp - Schedules that were found by measuring ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/CostModel.h"
#include "GNN/Analysis/RowStatistics.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/Target.h"
#include "GNN/OptionFiles/OptionFiles.h"
#include "GNN/Runtime/Nesting.h"
#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Schedules/Passes.h"
#include "GNN/Transforms/Schedules/Records.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace gnn::tile;
namespace json = llvm::json;

namespace gnn {
#define GEN_PASS_DEF_APPLYRECORDS
#include "GNN/Transforms/Schedules/Passes.h.inc"
} // namespace gnn

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// A count as its nearest power of two: "2^14".
static std::string bucket(double count) {
  return count < 1 ? "0" : "2^" + std::to_string(std::lround(std::log2(count)));
}

/// What a graph has about, as far as the template sees it.
static std::string describeStatistics(TileOpInterface op) {
  gnn::StatsAttr stats =
      gnn::getStats(SymbolTable::lookupNearestSymbolFrom<gnn::GraphOp>(
          op, op.getGraphAttr()));
  if (!stats)
    return "unknown";
  std::string text = "src_nodes " + bucket(stats.getSrcNodes()) +
                     ", dst_nodes " + bucket(stats.getDstNodes()) + ", edges " +
                     bucket(stats.getEdges()) + ", groups " +
                     bucket(gnn::countRows(op.getGroups(), stats));
  if (RowDomain elements = op.getElements()) {
    gnn::RowLengths lengths = gnn::getLengths(op.getGroups(), elements, stats);
    text += ", elements " + bucket(lengths.elements) + ", longest " +
            bucket(lengths.longest);
  }
  return text;
}

/// The kind of chip, without figures that drivers give of one card.
static std::string describeChip(Operation *op) {
  gnn::TargetAttr target = gnn::findTarget(op);
  if (!target)
    return "unknown";
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << target.getKind() << " " << target.getChip() << " "
         << target.getName() << " " << target.getLimits().vector;
  return text;
}

json::Object gnn::tile::describeForRecord(TileOpInterface op) {
  TemplateKey key(op);
  return json::Object{
      {"template", key.kind},
      {"domain", key.domain},
      {"accesses", json::Array(key.accesses)},
      {"types", json::Array(key.types)},
      {"body", key.body},
      {"statistics", describeStatistics(op)},
      {"target", describeChip(op.getOperation())},
      {"version", GNN_VERSION " (MLIR " LLVM_VERSION_STRING ")"}};
}

std::string gnn::tile::printRecord(TileOpInterface op, ScheduleInterface kind,
                                   ArrayRef<int64_t> values, double ratio) {
  json::Object record = describeForRecord(op);
  json::Object schedule;
  for (auto [field, value] : llvm::zip_equal(kind.getTable(), values))
    if (value)
      schedule[field.name] = field.words.empty()
                                 ? json::Value(value)
                                 : json::Value(field.str(value));
  record["schedule"] = std::move(schedule);
  record["ratio"] = ratio;
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << json::Value(std::move(record));
  return text;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
/// A record and where it stands.
struct Record {
  json::Object object;
  Location loc;

  bool isOf(const json::Object &key) const {
    return llvm::all_of(key, [&](const auto &part) {
      const json::Value *value = object.get(part.first);
      return value && *value == part.second;
    });
  }
};

using Records = std::vector<Record>;

struct ApplyRecords : gnn::impl::ApplyRecordsBase<ApplyRecords> {
  using ApplyRecordsBase::ApplyRecordsBase;

  void runOnOperation() override {
    Records records = read();
    getOperation().walk([&](TileOpInterface op) {
      if (!op.getTileSchedule())
        apply(op, records);
    });
  }

private:
  Records read();
  void readLine(StringRef line, Location loc, Records &records);
  void apply(TileOpInterface op, const Records &records);
};
} // namespace

void ApplyRecords::readLine(StringRef line, Location loc, Records &records) {
  auto leave = [&](const Twine &why) {
    gnn::refused(getArgument(), loc) << "skips an invalid record: " + why.str();
  };
  if (gnn::runtime::findDeepNesting(line, 100, gnn::runtime::Syntax::Text))
    return leave("more than 100 levels of nesting");
  auto value = json::parse(line);
  if (!value)
    return leave(toString(value.takeError()));
  if (json::Object *object = value->getAsObject();
      object && object->getObject("schedule"))
    records.push_back({std::move(*object), loc});
  else
    leave("expected an object with a schedule");
}

/// Reads the records; what is none is left out.
Records ApplyRecords::read() {
  Records records;
  MLIRContext *context = &getContext();
  auto text = gnn::readInput(file);
  if (!text) {
    gnn::refused(getArgument(), getOperation().getLoc())
        << "skips the records: " + text.message();
    return records;
  }
  SmallVector<StringRef> lines;
  (*text)->getBuffer().split(lines, '\n');
  for (auto [i, line] : llvm::enumerate(lines))
    if (!line.trim().empty())
      readLine(line, FileLineColLoc::get(context, file, i + 1, 1), records);
  return records;
}

/// Gives a template the schedule of its last record, if it can be honoured.
void ApplyRecords::apply(TileOpInterface op, const Records &records) {
  json::Object key = describeForRecord(op);
  const Record *found = nullptr;
  for (const Record &record : records)
    if (record.isOf(key))
      found = &record;
  if (!found)
    return;
  std::string why;
  ScheduleFields fields;
  for (const auto &[name, value] : *found->object.getObject("schedule")) {
    auto number = value.getAsInteger();
    auto word = value.getAsString();
    fields[name.str()] =
        number ? std::to_string(*number) : word.value_or("").str();
  }
  FailureOr<Attribute> schedule = failure();
  {
    ScopedDiagnosticHandler quiet(&getContext(), [&](Diagnostic &error) {
      if (why.empty())
        why = error.str();
      return success();
    });
    schedule = makeSchedule(op, fields, found->loc);
  }
  if (succeeded(schedule)) {
    op.setTileSchedule(*schedule);
    why = op.explainSchedule();
    if (why.empty()) {
      gnn::passed(getArgument(), op.getLoc(), "RecordApplied")
          << "takes the schedule of a record";
      return;
    }
    op.setTileSchedule(Attribute());
  }
  gnn::refused(getArgument(), op.getLoc()) << "skips a record: " + why;
}
