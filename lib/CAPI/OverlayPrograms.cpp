//===- OverlayPrograms.cpp - C API of programs of the overlay -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OverlayHandles.h"
#include "OverlayOptions.h"
#include "Work.h"

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/Overlay/IR/Overlay.h"
#include "GNN/Overlay/Memory.h"
#include "GNN/Overlay/Words.h"
#include "GNN/Pipelines/Overlay.h"
#include "GNN/Target/Overlay.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

#include <cstring>

using namespace mlir;
using namespace gnn;
using namespace gnn::overlay;
using gnn::runtime::Error;
using gnn::runtime::ErrorKind;
using gnn::runtime::expectPointers;
using gnn::runtime::failure;
using gnn::runtime::guardedCall;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// The function that becomes a program: of that name, or the one there is.
static Operation *findFunctionOrProgram(ModuleOp module, llvm::StringRef name) {
  SmallVector<Operation *> found;
  for (Operation &op : *module.getBody()) {
    auto func = dyn_cast<func::FuncOp>(op);
    if (!(func && !func.isExternal() && (!func.isPrivate() || !name.empty())) &&
        !isa<ProgramOp>(op))
      continue;
    if (name.empty() || SymbolTable::getSymbolName(&op) == name)
      found.push_back(&op);
  }
  if (found.size() == 1)
    return found.front();
  InFlightDiagnostic error = module.emitError("expected ");
  if (name.empty())
    error << "one function, or the name of one, got " << found.size();
  else
    error << "a function @" << name << ", got none";
  return nullptr;
}

/// Erases the functions that a function does not call, which need not compile.
static void eraseOthers(ModuleOp module, Operation *kept) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto func : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (func != kept && SymbolTable::symbolKnownUseEmpty(func, module)) {
        func.erase();
        changed = true;
      }
  }
  for (auto func : module.getOps<func::FuncOp>())
    if (func != kept)
      func.setPrivate();
}

/// The module of `@f.prepare`, as a function `prepare`; empty: there is none.
static std::string takePrepare(ModuleOp module, llvm::StringRef function) {
  auto prepare =
      module.lookupSymbol<func::FuncOp>((function + ".prepare").str());
  if (!prepare)
    return "";
  for (auto program : llvm::make_early_inc_range(module.getOps<ProgramOp>()))
    program.erase();
  prepare.setSymName("prepare");
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

namespace {
/// The options of a call.
struct CompileCall {
  OverlayPipelineOptions pipeline;
  GivenGraph graph;
  capi::OptionReader reader;
  /// Numbers of the graph, where they are all that is known of it.
  int64_t vertices = -1, edges = -1;
  std::string reproducer;
  /// What is wrong with the options for this module.
  Error refused;

  CompileCall() {
    reader.addNumber("vertices", vertices, 0, INT32_MAX);
    reader.addNumber("edges", edges, 0, INT32_MAX);
    reader.addText("reproducer", reproducer);
    for (auto *one :
         {&pipeline.order, &pipeline.fuse, &pipeline.fromLayers,
          &pipeline.addSelfLoops, &pipeline.skipEmpty, &pipeline.unroll})
      reader.addSwitch(one->ArgStr, *one);
    for (auto *one : {&pipeline.n1, &pipeline.linearGroup})
      reader.addNumber(one->ArgStr, *one, 0, UINT32_MAX);
    reader.addNumber(pipeline.blocksPerPe.ArgStr, pipeline.blocksPerPe, 1,
                     maxBlocksPerPe);
    reader.addNumber(pipeline.superBytes.ArgStr, pipeline.superBytes);
    reader.addText(pipeline.graph.ArgStr, pipeline.graph);
  }

  /// Reads options; errors are also those that what is given cannot honour.
  Error read(const char *options, bool hasGraph, bool hasPartition) {
    if (Error error = reader.read(options))
      return error;
    const std::vector<std::string> ofCounts = {"vertices", "edges"};
    if (reader.has("vertices") != reader.has("edges"))
      return reader.refuse(ofCounts, "alone: a graph has vertices and edges");
    const char *graph = hasPartition          ? "beside a partition"
                        : hasGraph            ? "beside a graph"
                        : reader.has("graph") ? "beside the file of a graph"
                                              : nullptr;
    if (graph)
      if (Error error = reader.refuse(ofCounts, graph))
        return error;
    if (hasGraph || hasPartition)
      if (Error error = reader.refuse({"graph"}, graph))
        return error;
    if (hasPartition)
      return reader.refuse(
          {"n1", "blocks-per-pe", "skip-empty", "add-self-loops"},
          "beside a partition, which has blocks and entries");
    if (!graph)
      return reader.refuse({"add-self-loops", "skip-empty"},
                           "without the edges of a graph");
    return {};
  }

  /// The pipeline that gnn-opt is to run for the same.
  std::string pipelineText() const {
    std::string words;
    for (const auto &[name, value] : reader.given()) {
      if (name == "vertices" || name == "edges" || name == "reproducer")
        continue;
      const char *quote = value.find('\'') != std::string::npos ? "\""
                          : value.find_first_of(" {}\"") != std::string::npos
                              ? "'"
                              : "";
      words += (words.empty() ? "" : " ") + name + "=" + quote + value + quote;
    }
    return "builtin.module(gnn-overlay-pipeline{" + words + "})";
  }
};
} // namespace

/// Gives the one graph without statistics the numbers of a graph.
static Error attachCounts(ModuleOp module, int64_t vertices, int64_t edges) {
  SmallVector<GraphOp> found;
  for (auto graph : module.getOps<GraphOp>())
    if (graph.getKind() == GraphKind::Square && !graph.isDerived() &&
        !graph.getStatsAttr() && graph.getEdgeTypes() == 1)
      found.push_back(graph);
  if (found.size() != 1)
    return Error("stats: expected a program with one square graph without "
                 "statistics, got " +
                     std::to_string(found.size()),
                 ErrorKind::Option);
  MLIRContext *context = module.getContext();
  auto of = [&](int64_t count) {
    return DenseI64ArrayAttr::get(context, count);
  };
  int64_t pairs = std::min(vertices, edges);
  found.front().setStatsAttr(StatsAttr::get(context, vertices, vertices, edges,
                                            of(edges), of(pairs), of(pairs), 0,
                                            0, 0, 0, {}, {}, {}));
  return {};
}

/// Makes the program of a module; an error is a diagnostic, or the call's.
static LogicalResult compile(ModuleOp module, llvm::StringRef function,
                             CompileCall &call, GnnOverlayProgram &program,
                             capi::Outcome &outcome) {
  OverlayPipelineOptions &options = call.pipeline;
  Operation *given = findFunctionOrProgram(module, function);
  if (!given)
    return failure();
  std::string name = SymbolTable::getSymbolName(given).str();
  Location where = given->getLoc(); // passes erase the function
  capi::Stopwatch watch;
  if (auto func = dyn_cast<func::FuncOp>(given)) {
    for (const auto &[name, graph] : call.graph.graphs)
      if (ErrorKind kind = ErrorKind::Option;
          failed(attachStatistics(module, {{name, graph}}, &kind))) {
        outcome.kind = kind;
        return failure();
      }
    if (call.vertices >= 0)
      call.refused = attachCounts(module, call.vertices, call.edges);
    if (call.refused)
      return failure();
    if (call.vertices >= 0 || !call.graph.graphs.empty()) {
      llvm::raw_string_ostream stream(outcome.text);
      module->print(stream);
    }
    options.fromLayers =
        options.fromLayers || !func.getOps<LayerOpInterface>().empty();
    eraseOthers(module, given);
    PassManager pm(module.getContext());
    buildOverlayPipeline(pm, options, call.graph);
    if (failed(pm.run(module)))
      return failure();
    program.seconds["passes"] = watch.lap();
  } else {
    std::vector<std::string> names;
    for (const auto &[name, value] : call.reader.given())
      if (name != "reproducer")
        names.push_back(name);
    const char *why = "of a text that is a program of the overlay already";
    call.refused = call.reader.refuse(names, why);
    if (!call.refused && (call.graph.partition || !call.graph.graphs.empty()))
      call.refused =
          Error(std::string("expected no graph ") + why, ErrorKind::Option);
    if (call.refused)
      return failure();
  }
  auto op = module.lookupSymbol<ProgramOp>(name);
  if (!op)
    return emitError(where, "has no overlay layer: expected a function of rows "
                            "of nodes, got @")
           << name;
  FailureOr<Program> made = exportOverlayProgram(op);
  if (failed(made))
    return failure();
  program.value = std::move(*made);
  program.seconds["encode"] = watch.lap();
  if (auto graph = op.getGraph())
    if (auto declared = module.lookupSymbol<GraphOp>(*graph);
        declared && declared.getLoops())
      program.loops = stringifyLoopsKind(*declared.getLoops());
  program.prepare = takePrepare(module, name);
  return success();
}

GnnError *gnnOverlayCompile(const char *text, size_t size, const char *name,
                            const char *function, const GnnGraph *graph,
                            const GnnOverlayPartition *partition,
                            const char *options, GnnOverlayProgram **program) {
  return guardedCall("compile", [&]() -> Error {
    if (Error error =
            expectPointers("text, name and a result", text, name, program))
      return error;
    if (graph && partition)
      return Error("expected a graph or a partition, got both",
                   ErrorKind::Option);
    CompileCall call;
    if (Error error = call.read(options, graph, partition))
      return error;
    if (graph)
      call.graph.graphs[""] = graph->value;
    if (partition) {
      call.graph.partition = partition->value;
      call.vertices = static_cast<int64_t>(partition->value->vertices());
      call.edges = static_cast<int64_t>(partition->value->edges());
    }
    capi::Request request;
    request.reproducer = call.reproducer;
    request.text = {text, size};
    request.name = name;
    auto made = std::make_unique<GnnOverlayProgram>();
    auto outcome = std::make_unique<capi::Outcome>();
    capi::Stopwatch watch;
    auto work = [&](ModuleOp module, capi::Outcome &result) {
      made->seconds["parse"] = watch.lap();
      result.pipeline = call.pipelineText();
      result.isDone = succeeded(
          compile(module, function ? function : "", call, *made, result));
      if (call.refused)
        result.kind = ErrorKind::Option;
    };
    if (Error error = capi::workOn(request, outcome, work))
      return call.refused ? std::move(call.refused) : std::move(error);
    *program = made.release();
    return {};
  });
}

//===----------------------------------------------------------------------===//
// Files and text
//===----------------------------------------------------------------------===//

GnnError *gnnOverlayProgramRead(const void *bytes, size_t size,
                                GnnOverlayProgram **program) {
  return guardedCall("program", [&]() -> Error {
    if (Error error = expectPointers("bytes and a result", bytes, program))
      return error;
    auto read = overlay::read({static_cast<const char *>(bytes), size});
    if (!read)
      return read.takeError();
    if (Error error = overlay::verify(*read))
      return error;
    *program = new GnnOverlayProgram;
    (*program)->value = std::move(*read);
    return {};
  });
}

GnnError *gnnOverlayProgramBytes(const GnnOverlayProgram *program, char **bytes,
                                 size_t *size) {
  return guardedCall("program", [&]() -> Error {
    if (Error error =
            expectPointers("a program and results", program, bytes, size))
      return error;
    auto written = overlay::write(program->value);
    if (!written)
      return written.takeError();
    *bytes = runtime::copyString(*written);
    *size = written->size();
    return {};
  });
}

void gnnOverlayProgramRetain(GnnOverlayProgram *program) {
  if (program)
    program->retain();
}

void gnnOverlayProgramRelease(GnnOverlayProgram *program) {
  if (program)
    program->release();
}

const char *gnnOverlayProgramPrepare(const GnnOverlayProgram *program) {
  return program && !program->prepare.empty() ? program->prepare.c_str()
                                              : nullptr;
}

GnnError *gnnOverlayProgramText(const GnnOverlayProgram *program,
                                const char *name, char **text) {
  return guardedCall("program", [&]() -> Error {
    if (Error error = expectPointers("a program, a name and a result", program,
                                     name, text))
      return error;
    MLIRContext context(MLIRContext::Threading::DISABLED);
    context.loadDialect<OverlayDialect>();
    std::string message;
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
    auto module =
        importOverlayProgram(program->value, name, UnknownLoc::get(&context));
    if (!module)
      return Error(message);
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    (*module)->print(stream);
    *text = runtime::copyString(printed);
    return {};
  });
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

/// The fields of a body that are not 0.
template <typename Body> static json::Object fieldsOf(const Body &body) {
  json::Object fields;
  visitFields(body, [&](const char *name, unsigned, uint64_t value) {
    if (value)
      fields[name] = value;
  });
  return fields;
}

static const char *mnemonicOf(const Instruction &instruction) {
  return std::visit([](const auto &body) { return body.mnemonic; },
                    instruction.body);
}

static json::Array shapeOf(const std::vector<int64_t> &shape) {
  return json::Array(shape);
}

static json::Array describeRegions(const Program &program) {
  json::Array regions;
  for (const overlay::Region &region : program.regions) {
    json::Array pieces;
    for (const Piece &piece : region.pieces)
      if (!piece.argument.empty())
        pieces.push_back(piece.argument);
    regions.push_back(json::Object{{"name", region.name},
                                   {"kind", toWord(region.kind)},
                                   {"role", toWord(region.role)},
                                   {"address", region.address},
                                   {"bytes", region.bytes},
                                   {"rows", region.rows},
                                   {"columns", region.columns},
                                   {"first_row", region.firstRow},
                                   {"first_column", region.firstColumn},
                                   {"arguments", std::move(pieces)}});
  }
  return regions;
}

/// Calls `use` for all instructions, those of parts too.
static void forInstructions(const Program &program,
                            llvm::function_ref<void(const Instruction &)> use) {
  llvm::for_each(program.instructions, use);
  for (const Program &part : program.parts)
    forInstructions(part, use);
}

static json::Array describeLayers(const Program &program) {
  json::Array layers;
  for (const Program &part : program.parts)
    for (json::Value &layer : describeLayers(part))
      layers.push_back(std::move(layer));
  for (size_t i = 0; i < program.layers.size(); ++i) {
    const Layer &layer = program.layers[i];
    uint64_t end = i + 1 < program.layers.size()
                       ? program.layers[i + 1].firstInstruction
                       : program.instructions.size();
    json::Object described{{"name", layer.name},
                           {"instructions", end - layer.firstInstruction}};
    const Csi *csi = program.instructions[layer.firstInstruction].as<Csi>();
    if (csi) {
      described["type"] = toWord(static_cast<LayerType>(csi->type));
      described["aggregation"] =
          toWord(static_cast<Aggregation>(csi->aggregation));
      described["activation"] =
          toWord(static_cast<overlay::ActivationKind>(csi->activation));
      described["in"] = csi->in;
      described["out"] = csi->out;
      described["tiles"] = csi->tiles;
    }
    layers.push_back(std::move(described));
  }
  return layers;
}

/// Super partitions: the layer that each is of, and what its memory has.
static json::Array describeParts(const Program &program) {
  json::Array parts;
  for (const Program &part : program.parts)
    parts.push_back(json::Object{
        {"layer", part.layers.empty() ? "" : part.layers.front().name},
        {"instruction_bytes", part.bytesOfInstructions()},
        {"regions", describeRegions(part)}});
  return parts;
}

static json::Object describeParameters(const Parameters &parameters) {
  json::Object described;
#define GNN_OVERLAY_PARAMETER(name, keyword, value, summary)                   \
  described[keyword] = parameters.name;
#include "GNN/Overlay/Parameters.def"
  return described;
}

GnnError *gnnOverlayProgramDescribe(const GnnOverlayProgram *handle,
                                    char **text) {
  return guardedCall("program", [&]() -> Error {
    if (Error error = expectPointers("a program and a result", handle, text))
      return error;
    const Program &program = handle->value;
    json::Object counts;
    std::map<std::string, uint64_t> byMnemonic;
    forInstructions(program, [&](const Instruction &instruction) {
      ++byMnemonic[mnemonicOf(instruction)];
    });
    for (const auto &[mnemonic, count] : byMnemonic)
      counts[mnemonic] = count;
    json::Array inputs, outputs;
    for (const auto &[name, shape] : argumentShapes(program))
      inputs.push_back(json::Object{{"name", name}, {"shape", shapeOf(shape)}});
    for (const overlay::Region &region : program.regions) {
      if (region.role != RegionRole::Output)
        continue;
      std::vector<int64_t> shape{static_cast<int64_t>(region.columns)};
      if (region.kind != overlay::RegionKind::Edges)
        shape.insert(shape.begin(), static_cast<int64_t>(region.rows));
      outputs.push_back(
          json::Object{{"name", region.name},
                       {"shape", shapeOf(shape)},
                       {"edges", region.kind == overlay::RegionKind::Edges}});
    }
    InputBytes bytes = inputBytes(program);
    uint64_t count = program.bytesOfInstructions() / instructionBytes;
    *text = capi::copyJson(
        json::Object{{"parameters", describeParameters(program.parameters)},
                     {"vertices", program.vertices},
                     {"edges", program.edges},
                     {"n1", program.n1},
                     {"n2", program.n2},
                     {"blocks", program.blocks()},
                     {"instructions", count},
                     {"instruction_bytes", count * instructionBytes},
                     {"counts", std::move(counts)},
                     {"regions", describeRegions(program)},
                     {"layers", describeLayers(program)},
                     {"parts", describeParts(program)},
                     {"inputs", std::move(inputs)},
                     {"outputs", std::move(outputs)},
                     {"transfer", json::Object{{"unpadded", bytes.unpadded},
                                               {"padded", bytes.padded},
                                               {"all", bytes.all}}},
                     {"loops", handle->loops},
                     {"seconds", capi::toJson(handle->seconds)}});
    return {};
  });
}

GnnError *gnnOverlayProgramInstructions(const GnnOverlayProgram *program,
                                        char **text) {
  return guardedCall("program", [&]() -> Error {
    if (Error error = expectPointers("a program and a result", program, text))
      return error;
    json::Array all;
    forInstructions(program->value, [&](const Instruction &instruction) {
      json::Object fields = std::visit(
          [](const auto &body) { return fieldsOf(body); }, instruction.body);
#define GNN_OVERLAY_COMMON(name, width, summary)                               \
  if (instruction.name)                                                        \
    fields[#name] = instruction.name;
#include "GNN/Overlay/Instructions.def"
      all.push_back(json::Array{mnemonicOf(instruction), std::move(fields)});
    });
    *text = capi::copyJson(std::move(all));
    return {};
  });
}
