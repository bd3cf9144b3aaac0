//===- Differentiate.cpp - Functions that give gradients ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A joint function first: the results, and behind them the gradients, by
// reverse mode (Hector 3.5). Then two functions of it, where what the second
// reads of the first is saved or computed again.
//
//===----------------------------------------------------------------------===//

#include "SavedValues.h"

#include "GNN/Dialect/GNN/IR/GNNDialect.h"
#include "GNN/Dialect/GNN/IR/Gradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

static bool isReal(Type type) {
  return isa<RankedTensorType>(type) &&
         isFeatureType(getElementTypeOrSelf(type));
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static std::string nameOfInput(func::FuncOp func, unsigned number) {
  auto name = func.getArgAttrOfType<StringAttr>(number, "gnn.name");
  return name ? name.str() : "arg" + std::to_string(number);
}

static std::string nameOfOutput(func::FuncOp func, unsigned number) {
  auto name = func.getResultAttrOfType<StringAttr>(number, "gnn.name");
  return name ? name.str() : "out" + std::to_string(number);
}

namespace {
/// An argument or a result of a function that is made.
struct Border {
  Value value;
  std::string name;
  StringRef role;

  DictionaryAttr attributes(MLIRContext *context) const {
    Builder b(context);
    return b.getDictionaryAttr(
        {b.getNamedAttr("gnn.name", b.getStringAttr(name)),
         b.getNamedAttr("gnn.role", b.getStringAttr(role))});
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct Differentiate : gnn::impl::DifferentiateBase<Differentiate> {
  using DifferentiateBase::DifferentiateBase;
  Differentiate(const DifferentiateOptions &options,
                function_ref<void(OpPassManager &)> optimize)
      : DifferentiateBase(options) {
    optimize(optimization);
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect, GNNDialect>();
    cleaning().getDependentDialects(registry);
    optimization.getDependentDialects(registry);
  }

  void runOnOperation() override;

private:
  static OpPassManager cleaning() {
    OpPassManager pm(func::FuncOp::getOperationName());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    return pm;
  }

  LogicalResult differentiate(func::FuncOp func, ArrayRef<std::string> names);
  /// The arguments of these names; all real ones where there are none.
  FailureOr<SmallVector<unsigned>> findInputs(func::FuncOp func,
                                              ArrayRef<std::string> names);
  /// Adds the gradients of results as arguments, and those of `inputs` as
  /// results.
  LogicalResult addGradients(JointFunction &joint, ArrayRef<unsigned> inputs);
  /// Makes a function of some ops of `joint`.
  func::FuncOp build(const JointFunction &joint, func::FuncOp of,
                     StringRef suffix, ArrayRef<Border> arguments,
                     ArrayRef<Border> results);
  void split(const JointFunction &joint, func::FuncOp func,
             ArrayRef<unsigned> inputs, ArrayRef<unsigned> outputs);

  /// What runs on the module where there are gradients.
  OpPassManager optimization{ModuleOp::getOperationName()};
};
} // namespace

std::unique_ptr<Pass>
gnn::createDifferentiate(const DifferentiateOptions &options,
                         function_ref<void(OpPassManager &)> optimize) {
  return std::make_unique<Differentiate>(options, optimize);
}

void Differentiate::runOnOperation() {
  SmallVector<func::FuncOp> funcs(getOperation().getOps<func::FuncOp>());
  bool found = false, any = false;
  for (func::FuncOp func : funcs) {
    auto asked = func->getAttrOfType<ArrayAttr>("gnn.gradients");
    bool isNamed = func.getName() == function;
    found |= isNamed;
    if (!asked && !isNamed)
      continue;
    SmallVector<std::string> names(wrt.begin(), wrt.end());
    if (asked && !isNamed)
      for (Attribute name : asked)
        names.push_back(cast<StringAttr>(name).str());
    func->removeAttr("gnn.gradients");
    if (failed(differentiate(func, names)))
      return signalPassFailure();
    any = true;
  }
  if (!function.empty() && !found) {
    emitError(getOperation().getLoc())
        << "gnn-differentiate: expected a function of the module, got function="
        << function;
    return signalPassFailure();
  }
  if (any && failed(runPipeline(optimization, getOperation())))
    signalPassFailure();
}

FailureOr<SmallVector<unsigned>>
Differentiate::findInputs(func::FuncOp func, ArrayRef<std::string> names) {
  SmallVector<unsigned> inputs;
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (names.empty() && isReal(func.getArgument(i).getType()))
      inputs.push_back(i);
  for (const std::string &name : names) {
    unsigned number = 0;
    while (number < func.getNumArguments() && nameOfInput(func, number) != name)
      ++number;
    if (number == func.getNumArguments()) {
      std::string known;
      for (unsigned i = 0; i < number; ++i)
        known += (i ? ", " : "") + nameOfInput(func, i);
      return func.emitOpError("expected gradients with respect to inputs, ")
             << known << ", got '" << name << "'";
    }
    if (!isReal(func.getArgument(number).getType()))
      return func.emitOpError("has no gradient with respect to input '")
             << name << "': expected floating point features, got "
             << func.getArgument(number).getType();
    if (!llvm::is_contained(inputs, number))
      inputs.push_back(number);
  }
  llvm::sort(inputs);
  return inputs;
}

LogicalResult Differentiate::addGradients(JointFunction &joint,
                                          ArrayRef<unsigned> inputs) {
  Block &body = joint.body();
  Operation *end = body.getTerminator();
  auto wanted = llvm::map_to_vector(
      inputs, [&](unsigned i) -> Value { return body.getArgument(i); });
  auto list = [&] {
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    return ops;
  };
  Varying varying = findVarying(list(), wanted);
  OpBuilder builder(&getContext());
  for (Operation *op : list()) {
    auto rule = dyn_cast<DifferentiableOpInterface>(op);
    if (!rule || llvm::none_of(op->getResults(), [&](Value result) {
          return varying.contains(result);
        }))
      continue;
    builder.setInsertionPoint(op);
    Operation *more = rule.getWithGradientNeeds(builder);
    if (more == op)
      continue;
    op->replaceAllUsesWith(more->getResults().take_front(op->getNumResults()));
    op->erase();
  }
  varying = findVarying(list(), wanted);
  builder.setInsertionPoint(end);
  Gradients gradients(builder);
  for (Value output : end->getOperands())
    if (isReal(output.getType()))
      gradients.add(output,
                    body.addArgument(output.getType(), output.getLoc()));
  if (failed(gnn::differentiate(builder, list(), varying, gradients)))
    return failure();
  for (Value input : wanted) {
    Value gradient = gradients.get(input);
    if (!gradient) {
      remark::missed(
          joint.func.getLoc(),
          remark::RemarkOpts::name("ZeroGradient").category(getArgument()))
          << "no result depends on input '" +
                 nameOfInput(joint.func,
                             cast<BlockArgument>(input).getArgNumber()) +
                 "': its gradient is 0";
      gradient = GradientBuilder(builder, joint.func.getLoc())
                     .splat(input.getType(), 0);
    }
    end->insertOperands(end->getNumOperands(), gradient);
  }
  joint.func.setType(FunctionType::get(&getContext(), body.getArgumentTypes(),
                                       end->getOperandTypes()));
  joint.func.setArgAttrsAttr({});
  joint.func.setResAttrsAttr({});
  return success();
}

func::FuncOp Differentiate::build(const JointFunction &joint, func::FuncOp of,
                                  StringRef suffix, ArrayRef<Border> arguments,
                                  ArrayRef<Border> results) {
  auto valuesOf = [](ArrayRef<Border> borders) {
    return llvm::map_to_vector(
        borders, [](const Border &border) { return border.value; });
  };
  SmallVector<Value> inputs = valuesOf(arguments), outputs = valuesOf(results);
  OpBuilder builder(joint.func);
  auto func = func::FuncOp::create(
      builder, of.getLoc(), (of.getName() + suffix).str(),
      builder.getFunctionType(ValueRange(inputs).getTypes(),
                              ValueRange(outputs).getTypes()));
  func->setAttr("gnn.gradient_of", FlatSymbolRefAttr::get(of));
  Block *block = func.addEntryBlock();
  IRMapping mapping;
  for (auto [i, border] : llvm::enumerate(arguments)) {
    mapping.map(border.value, block->getArgument(i));
    func.setArgAttrs(i, border.attributes(&getContext()));
  }
  for (auto [i, border] : llvm::enumerate(results))
    func.setResultAttrs(i, border.attributes(&getContext()));
  // What the results are computed by, in the order of the joint function.
  llvm::DenseSet<Operation *> needed;
  SmallVector<Value> left = outputs;
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (Operation *maker = value.getDefiningOp();
        maker && !mapping.contains(value) && needed.insert(maker).second)
      llvm::append_range(left, maker->getOperands());
  }
  builder.setInsertionPointToEnd(block);
  for (Operation &op : joint.body().without_terminator())
    if (needed.contains(&op)) {
      Operation *copy = builder.clone(op, mapping);
      for (auto [old, made] : llvm::zip(op.getResults(), copy->getResults()))
        if (!llvm::is_contained(inputs, old))
          mapping.map(old, made);
    }
  func::ReturnOp::create(
      builder, of.getLoc(),
      llvm::map_to_vector(outputs, [&](Value value) -> Value {
        return mapping.lookup(value);
      }));
  return func;
}

/// The bytes of a value in remarks.
static std::string textOf(double bytes) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.4g bytes", bytes);
  return text;
}

void Differentiate::split(const JointFunction &joint, func::FuncOp func,
                          ArrayRef<unsigned> inputs,
                          ArrayRef<unsigned> outputs) {
  SavedValues values(joint, memory);
  for (const KeptValue &kept : values.getDecisions()) {
    Location loc = kept.value.getLoc();
    Operation *maker = kept.value.getDefiningOp();
    std::string name = maker->getName().getStringRef().str();
    if (maker->getNumResults() > 1)
      name += " result " +
              std::to_string(cast<OpResult>(kept.value).getResultNumber());
    auto opts = remark::RemarkOpts::name(kept.saved ? "Saved" : "Recomputed")
                    .category(getArgument());
    std::string text = name +
                       (kept.saved ? ": saved, " : ": computed again, ") +
                       textOf(kept.bytes) + ": " + kept.reason;
    if (kept.saved)
      remark::passed(loc, opts) << text;
    else
      remark::missed(loc, opts) << text;
  }
  SmallVector<Border> arguments, results, of, gradients;
  llvm::DenseSet<Value> given; // each value once
  for (unsigned i = 0; i < joint.numInputs; ++i) {
    Border border = {joint.body().getArgument(i), nameOfInput(func, i),
                     "input"};
    arguments.push_back(border);
    if (values.getHandedOver().contains(border.value)) {
      of.push_back(border);
      given.insert(border.value);
    }
  }
  for (auto [i, output] : llvm::enumerate(joint.outputs())) {
    Border border = {output, nameOfOutput(func, i), "output"};
    results.push_back(border);
    if (values.getHandedOver().contains(output) && given.insert(output).second)
      of.push_back(border);
  }
  for (auto [i, value] : llvm::enumerate(values.getSaved())) {
    Border border = {value, "saved_" + std::to_string(i), "saved"};
    results.push_back(border);
    of.push_back(border);
  }
  for (auto [i, output] : llvm::enumerate(outputs)) {
    Value cotangent = joint.body().getArgument(joint.numInputs + i);
    if (!cotangent.use_empty())
      of.push_back({cotangent, "d_" + nameOfOutput(func, output), "gradient"});
  }
  for (auto [input, gradient] : llvm::zip(inputs, joint.gradients()))
    gradients.push_back(
        {gradient, "d_" + nameOfInput(func, input), "gradient"});
  build(joint, func, "_forward", arguments, results);
  build(joint, func, "_backward", of, gradients);
}

LogicalResult Differentiate::differentiate(func::FuncOp func,
                                           ArrayRef<std::string> names) {
  if (func.isExternal() || !func.getBody().hasOneBlock())
    return func.emitOpError(
        "expected a function of one block to differentiate");
  FailureOr<SmallVector<unsigned>> inputs = findInputs(func, names);
  if (failed(inputs))
    return failure();
  for (StringRef suffix : {"_forward", "_backward"})
    if (getOperation().lookupSymbol((func.getName() + suffix).str()))
      return func.emitOpError("cannot be differentiated: the module has a '")
             << func.getName() << suffix << "' already";
  JointFunction joint = {func.clone(), func.getNumArguments(),
                         func.getNumResults()};
  SmallVector<unsigned> outputs;
  for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
    if (isReal(type))
      outputs.push_back(i);
  if (inputs->empty() || outputs.empty()) {
    joint.func.erase();
    return func.emitOpError("has no gradient: expected floating point features "
                            "among its ")
           << (inputs->empty() ? "inputs" : "results") << ", got none";
  }
  getOperation().insert(std::next(func->getIterator()), joint.func);
  joint.func.setName((func.getName() + "_joint").str());
  OpPassManager pm = cleaning();
  if (failed(addGradients(joint, *inputs)) ||
      failed(runPipeline(pm, joint.func))) {
    joint.func.erase();
    return failure();
  }
  split(joint, func, *inputs, outputs);
  joint.func.erase();
  return success();
}
