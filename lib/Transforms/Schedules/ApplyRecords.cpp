//===- ApplyRecords.cpp - Schedules that were found by measuring ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/CostModel.h"
#include "GNN/Analysis/RowStatistics.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/ScheduleFrom.h"
#include "GNN/Dialect/GNN/IR/Target.h"
#include "GNN/OptionFiles/OptionFiles.h"
#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Schedules/Passes.h"
#include "GNN/Transforms/Schedules/Records.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <set>

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
  std::vector<std::string> words;
  for (StringRef word : {target.getKind(), target.getChip(), target.getName()})
    if (!word.empty())
      words.push_back(word.str());
  words.push_back(std::to_string(target.getLimits().vector));
  return llvm::join(words, " ");
}

RecordKey gnn::tile::describeForRecord(TileOpInterface op) {
  TemplateKey key(op);
  return {{"template", key.kind},
          {"domain", key.domain},
          {"accesses", json::Array(key.accesses)},
          {"types", json::Array(key.types)},
          {"body", key.body},
          {"statistics", describeStatistics(op)},
          {"target", describeChip(op.getOperation())},
          {"version", GNN_VERSION " (MLIR " LLVM_VERSION_STRING ")"}};
}

/// A line without its end: a key, and what else is of its object.
static std::string
printLine(const RecordKey &key,
          llvm::function_ref<void(json::OStream &)> writeMore) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream out(stream);
  out.object([&] {
    for (const auto &[name, value] : key)
      out.attribute(name, value);
    writeMore(out);
  });
  return text;
}

std::string gnn::tile::printRecord(TileOpInterface op, ScheduleInterface kind,
                                   ArrayRef<int64_t> values, double ratio) {
  return printLine(describeForRecord(op), [&](json::OStream &out) {
    out.attribute("ratio", ratio);
    writeFields(out, kind.getTable(), values);
  });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
/// A record and where it stands.
struct Record {
  json::Object object;
  ScheduleFields fields;
  Location loc;

  bool isOf(const RecordKey &key) const {
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
    if (file.empty() && keys.empty()) {
      emitError(getOperation().getLoc(),
                "gnn-tile-apply-records: expected a file of records, or one "
                "for keys, got neither");
      return signalPassFailure();
    }
    Records records = read();
    std::set<std::string> open;
    getOperation().walk([&](TileOpInterface op) {
      if (op.getTileSchedule())
        return;
      RecordKey key = describeForRecord(op);
      open.insert(printLine(key, [](json::OStream &) {}) + "\n");
      apply(op, key, records);
    });
    if (!keys.empty() &&
        failed(writeSchedules(getOperation(), keys, llvm::join(open, ""))))
      signalPassFailure();
  }

private:
  Records read();
  void readLine(StringRef line, Location loc, Records &records);
  void apply(TileOpInterface op, const RecordKey &key, const Records &records);
};
} // namespace

void ApplyRecords::readLine(StringRef line, Location loc, Records &records) {
  auto leave = [&](const Twine &why) {
    gnn::refused(getArgument(), loc) << "skips an invalid record: " + why.str();
  };
  auto object = parseLine(line);
  if (!object)
    return leave(object.message());
  auto fields = readFields(*object);
  if (!fields)
    return leave(fields.message());
  records.push_back({std::move(*object), std::move(*fields), loc});
}

/// Reads the records; what is none is left out.
Records ApplyRecords::read() {
  Records records;
  if (file.empty())
    return records;
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
void ApplyRecords::apply(TileOpInterface op, const RecordKey &key,
                         const Records &records) {
  const Record *found = nullptr;
  for (const Record &record : records)
    if (record.isOf(key))
      found = &record;
  if (!found)
    return;
  std::string why;
  FailureOr<Attribute> schedule = failure();
  {
    ScopedDiagnosticHandler quiet(&getContext(), [&](Diagnostic &error) {
      if (why.empty())
        why = error.str();
      return success();
    });
    schedule = makeSchedule(op, found->fields, found->loc);
  }
  if (succeeded(schedule)) {
    op.setTileSchedule(*schedule);
    why = op.explainSchedule();
    if (why.empty()) {
      gnn::setScheduleFrom(op, "record of", file);
      gnn::passed(getArgument(), op.getLoc(), "RecordApplied")
          << "takes the schedule of a record";
      return;
    }
    op.setTileSchedule(Attribute());
  }
  gnn::refused(getArgument(), op.getLoc()) << "skips a record: " + why;
}
