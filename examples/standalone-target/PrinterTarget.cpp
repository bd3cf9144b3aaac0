//===- PrinterTarget.cpp - A target outside of the tree -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A printer does not compute: it writes which kernels are launched, with how
// many blocks. It has a schedule of its own, a pass that chooses it, and a
// device.
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/TargetBackend.h"
#include "GNN/Conversion/Passes.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Runtime/HostMemory.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/ADT/TypeSwitch.h"

#include "PrinterDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "PrinterAttributes.h.inc"

using namespace mlir;
using namespace gnn::tile;

#include "PrinterDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "PrinterAttributes.cpp.inc"

namespace printer {
#define GEN_PASS_DECL
#define GEN_PASS_DEF_SCHEDULEFORPRINTER
#define GEN_PASS_REGISTRATION
#include "Passes.h.inc"
} // namespace printer

void printer::PrinterDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "PrinterAttributes.cpp.inc"
      >();
}

ArrayRef<ScheduleField> printer::RowsAttr::getTable() {
  static const ScheduleField table[] = {{"count", {1, 1024}},
                                        {"features", {1, 1 << 30}}};
  return table;
}

/// A block is one thread, as on the core of a CPU, and its vectors are scalars.
TraverseSchedule printer::RowsAttr::getFields() const {
  TraverseSchedule fields = TraverseSchedule::ofCore();
  fields.vector = 1;
  fields.rowsPerBlock = getValues()[0];
  fields.columnsPerBlock = getValues()[1];
  fields.rowOrder = TakenOrder::Natural;
  return fields;
}

TraversalScheduleInterface
printer::RowsAttr::withFields(const TraverseSchedule &fields) const {
  return RowsAttr::get(getContext(),
                       {fields.rowsPerBlock, fields.columnsPerBlock});
}

namespace {
struct ScheduleForPrinter
    : printer::impl::ScheduleForPrinterBase<ScheduleForPrinter> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([&](TraverseOp op) -> WalkResult {
      TraversalScheduleInterface given = op.getScheduleAttr();
      if (given && !isa<printer::RowsAttr>(given))
        return op.emitOpError("schedule: expected #printer.rows, got ")
               << Attribute(given);
      TraverseSchedule fields(given);
      int64_t count = fields.rowsPerBlock ? fields.rowsPerBlock : 8;
      int64_t features = fields.columnsPerBlock ? fields.columnsPerBlock
                                                : op.getDomain().getFeatures();
      op.setScheduleAttr(
          printer::RowsAttr::get(&getContext(), {count, features}));
      gnn::passed(getArgument(), op.getLoc(), "Scheduled")
          << ("a block takes " + Twine(count) + " rows").str();
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

class PrintedKernel : public gnn::runtime::Kernel {
public:
  explicit PrintedKernel(std::string name) : text(std::move(name)) {}
  const std::string &name() const override { return text; }

private:
  std::string text;
};

/// Any kernel that is asked for: the image is not read.
class PrintedKernels : public gnn::runtime::Kernels {
public:
  gnn::runtime::Expected<const gnn::runtime::Kernel *>
  find(const std::string &name) const override {
    auto it = kernels.try_emplace(name, name).first;
    return static_cast<const gnn::runtime::Kernel *>(&it->second);
  }

private:
  mutable std::map<std::string, PrintedKernel> kernels;
};

/// Results are what memory has at first: NaN.
class PrinterDevice : public gnn::runtime::HostMemoryDevice {
public:
  std::string kind() const override { return "printer"; }
  std::string name() const override { return kind(); }
  std::vector<std::string> kernelFormats() const override { return {"mlir"}; }

  gnn::runtime::Expected<std::shared_ptr<const gnn::runtime::Kernels>>
  loadKernels(const std::string &, const std::string &,
              const std::string &) override {
    return std::shared_ptr<const gnn::runtime::Kernels>(
        std::make_shared<PrintedKernels>());
  }

  gnn::runtime::Error launch(const gnn::runtime::Kernel &kernel,
                             const gnn::runtime::Launch &launch,
                             const gnn::runtime::LaunchArguments &arguments,
                             gnn::runtime::Stream) override {
    llvm::outs() << kernel.name() << ": " << launch.grid[0] << " x "
                 << launch.grid[1] << " x " << launch.grid[2] << " blocks, "
                 << arguments.size << " arguments\n";
    llvm::outs().flush();
    return {};
  }
};

class PrinterBackend : public gnn::TargetBackend {
public:
  StringRef getKind() const override { return "printer"; }

  llvm::Expected<gnn::TargetAttr>
  makeTarget(MLIRContext *context, const gnn::TargetRequest &) const override {
    context->loadDialect<gnn::GNNDialect>();
    gnn::TargetLimits limits;
    limits.lanes = limits.threads = 1;
    return gnn::TargetAttr::get(context, getKind(), /*name=*/"", /*chip=*/"",
                                limits, gnn::TargetAbilities(),
                                gnn::TargetFigures());
  }

  ScheduleInterface getOpenSchedule(TileOpInterface op) const override {
    if (!isa<TraverseOp>(*op))
      return op.getOpenSchedule();
    op->getContext()->loadDialect<printer::PrinterDialect>();
    return printer::RowsAttr::get(op->getContext(), {0, 0});
  }

  ArrayRef<ScheduleField> getOwnScheduleFields() const override {
    return printer::RowsAttr::getTable();
  }

  void addSchedulePasses(OpPassManager &function) const override {
    function.addPass(printer::createScheduleForPrinter());
  }

  /// Products become loops of scalars: a printer has no lanes to spread them
  /// over.
  void addLoopPasses(OpPassManager &function) const override {
    function.addPass(gnn::createConvertGNNTileToScalarLoops());
  }

  gnn::runtime::Expected<std::shared_ptr<gnn::runtime::Device>>
  openDevice() const override {
    return std::shared_ptr<gnn::runtime::Device>(
        std::make_shared<PrinterDevice>());
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "PrinterTarget", "0.1",
          [](DialectRegistry *registry) {
            registry->insert<printer::PrinterDialect>();
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "PrinterTarget", "0.1", [] {
            printer::registerPrinterTargetPasses();
            gnn::registerBackend(std::make_unique<PrinterBackend>());
          }};
}
