//===- Differentiate.cpp - Functions that give gradients ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A joint function first: the results, and behind them the gradients, by
// reverse mode (Hector 3.5). Then two functions of it, where what the second
// reads of the first is saved or computed again.
//
//===----------------------------------------------------------------------===//

#include "ReadChoices.h"
#include "ValueKeys.h"

#include "GNN/Analysis/Targets.h"
#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Dialect/GNN/IR/GNNDialect.h"
#include "GNN/Dialect/GNN/IR/GNNLoopOps.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"
#include "GNN/Dialect/GNN/IR/Gradients.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "GNN/Transforms/Graph/Passes.h.inc"
} // namespace gnn

namespace {
/// An argument or a result of a function that is made.
struct Border {
  Value value;
  std::string name;
  StringRef role;
  std::string key = ""; ///< of a saved value, by what computes it
  std::string of = "";  ///< of a gradient, the tensor that it belongs to

  DictionaryAttr attributes(MLIRContext *context) const {
    Builder b(context);
    SmallVector<NamedAttribute> attributes{
        b.getNamedAttr(attribute::name, b.getStringAttr(name)),
        b.getNamedAttr(attribute::role, b.getStringAttr(role))};
    if (!key.empty())
      attributes.push_back(
          b.getNamedAttr(attribute::key, b.getStringAttr(key)));
    if (!of.empty())
      attributes.push_back(b.getNamedAttr(attribute::of, b.getStringAttr(of)));
    return b.getDictionaryAttr(attributes);
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct Differentiate : gnn::impl::DifferentiateBase<Differentiate> {
  using DifferentiateBase::DifferentiateBase;
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect, GNNDialect>();
    cleaning().getDependentDialects(registry);
  }

  void runOnOperation() override;

private:
  static OpPassManager cleaning() {
    OpPassManager pm(func::FuncOp::getOperationName());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    return pm;
  }

  LogicalResult differentiate(func::FuncOp func, ArrayRef<std::string> names,
                              ArrayRef<std::string> namesOfOutputs);
  /// The arguments of these names; all real ones where there are none.
  FailureOr<SmallVector<unsigned>> findInputs(func::FuncOp func,
                                              ArrayRef<std::string> names);
  /// The same of results.
  FailureOr<SmallVector<unsigned>> findOutputs(func::FuncOp func,
                                               ArrayRef<std::string> names);
  /// Adds the gradients of all real results as arguments, and those of `inputs`
  /// as results; behind them what these are where the gradients of `given`
  /// alone are not 0.
  LogicalResult addGradients(JointFunction &joint, ArrayRef<unsigned> inputs,
                             ArrayRef<unsigned> given, bool isTrial);
  /// Goes backwards through `ops` from the results of these numbers.
  LogicalResult addGradientsOf(JointFunction &joint, ArrayRef<unsigned> inputs,
                               ArrayRef<std::pair<unsigned, Value>> cotangents,
                               ArrayRef<Operation *> ops,
                               const Varying &varying, bool isTrial);
  /// Makes a function that gives results and gradients. `mark` may set
  /// attributes of its attentions, in their order, for the rules of these. A
  /// function that is not kept (`isTrial`) has no remark.
  FailureOr<JointFunction> join(func::FuncOp func, ArrayRef<unsigned> inputs,
                                ArrayRef<unsigned> given, bool isTrial,
                                function_ref<void(unsigned, Operation *)> mark);
  /// The attentions whose gradients add up over edges what they could read of
  /// the results. It takes all gradients to tell.
  FailureOr<llvm::DenseSet<unsigned>>
  findSumsOverEdges(func::FuncOp func, ArrayRef<unsigned> inputs,
                    ArrayRef<unsigned> given);
  /// Makes a function of some ops of `joint`.
  func::FuncOp build(const JointFunction &joint, func::FuncOp of,
                     StringRef pass, ArrayRef<Border> arguments,
                     ArrayRef<Border> results);
  void split(const JointFunction &joint, func::FuncOp func,
             ArrayRef<unsigned> inputs, ArrayRef<unsigned> outputs);

  llvm::DenseSet<unsigned> isZero; ///< inputs that no result depends on
};
} // namespace

/// The names of all values that pass a test, for an error.
static std::string listNames(unsigned count,
                             function_ref<bool(unsigned)> isListed,
                             function_ref<std::string(unsigned)> nameOf) {
  SmallVector<std::string> names;
  for (unsigned i = 0; i < count; ++i)
    if (isListed(i))
      names.push_back(nameOf(i));
  return names.empty() ? "none" : llvm::join(names, ", ");
}

void Differentiate::runOnOperation() {
  if (function.empty() && (!wrt.empty() || !outputs.empty())) {
    emitError(getOperation().getLoc())
        << "gnn-differentiate: expected function= beside "
        << (wrt.empty() ? "outputs=" : "wrt=") << ", got none";
    return signalPassFailure();
  }
  SmallVector<func::FuncOp> funcs(getOperation().getOps<func::FuncOp>());
  bool found = false;
  for (func::FuncOp func : funcs) {
    bool isNamed = func.getName() == function;
    found |= isNamed;
    if (!func->hasAttr(attribute::gradients) && !isNamed)
      continue;
    SmallVector<std::string> names =
                                 getNames(func->getAttr(attribute::gradients)),
                             ofOutputs = getNames(
                                 func->getAttr(attribute::gradientOutputs));
    if (isNamed) {
      names.assign(wrt.begin(), wrt.end());
      ofOutputs.assign(outputs.begin(), outputs.end());
    }
    func->removeAttr(attribute::gradientOutputs);
    func->removeAttr(attribute::gradients);
    if (failed(differentiate(func, names, ofOutputs)))
      return signalPassFailure();
  }
  if (function.empty() || found)
    return;
  emitError(getOperation().getLoc())
      << "gnn-differentiate: expected a function of "
      << listNames(
             funcs.size(), [](unsigned) { return true; },
             [&](unsigned i) { return funcs[i].getName().str(); })
      << ", got function=" << function;
  signalPassFailure();
}

FailureOr<SmallVector<unsigned>>
Differentiate::findInputs(func::FuncOp func, ArrayRef<std::string> names) {
  for (const std::string &name : names) {
    unsigned number = 0;
    while (number < func.getNumArguments() &&
           getInputName(func, number) != name)
      ++number;
    if (number == func.getNumArguments())
      return func.emitOpError("expected gradients with respect to inputs of "
                              "floating point features, ")
             << listNames(
                    number,
                    [&](unsigned i) {
                      return mayHaveGradient(func.getArgument(i).getType());
                    },
                    [&](unsigned i) { return getInputName(func, i); })
             << ", got '" << name << "'";
    if (!mayHaveGradient(func.getArgument(number).getType()))
      return func.emitOpError("has no gradient with respect to input '")
             << name << "': expected floating point features, got "
             << func.getArgument(number).getType();
  }
  return getGradientInputs(func, names);
}

/// Verifies that all that a backward function may take has a name of its own.
static LogicalResult verifyNames(func::FuncOp func) {
  llvm::StringMap<std::string> known;
  auto add = [&](const std::string &name, const Twine &what) -> LogicalResult {
    auto [entry, isNew] = known.try_emplace(name, what.str());
    StringRef number = name;
    bool isSaved = number.consume_front(savedPrefix) && !number.empty() &&
                   llvm::all_of(number, llvm::isDigit);
    if (isNew && !isSaved)
      return success();
    return func.emitOpError("cannot be differentiated: expected a name of its "
                            "own for each input, result and gradient, got '")
           << name << "' for " << what << " and for "
           << (isSaved ? "what is saved" : entry->second);
  };
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (failed(add(getInputName(func, i), "input " + Twine(i))))
      return failure();
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (failed(add(getResultName(func, i), "result " + Twine(i))) ||
        (mayHaveGradient(func.getResultTypes()[i]) &&
         failed(add(gradientName(getResultName(func, i)),
                    "the gradient of result " + Twine(i)))))
      return failure();
  return success();
}

FailureOr<SmallVector<unsigned>>
Differentiate::findOutputs(func::FuncOp func, ArrayRef<std::string> names) {
  auto isReal = [&](unsigned i) {
    return mayHaveGradient(func.getResultTypes()[i]);
  };
  auto nameOf = [&](unsigned i) { return getResultName(func, i); };
  SmallVector<unsigned> found;
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (isReal(i) && (names.empty() || llvm::is_contained(names, nameOf(i))))
      found.push_back(i);
  for (const std::string &name : names)
    if (llvm::none_of(found, [&](unsigned i) { return nameOf(i) == name; }))
      return func.emitOpError("expected gradients of results of floating point "
                              "features, ")
             << listNames(func.getNumResults(), isReal, nameOf) << ", got '"
             << name << "'";
  return found;
}

LogicalResult
Differentiate::addGradientsOf(JointFunction &joint, ArrayRef<unsigned> inputs,
                              ArrayRef<std::pair<unsigned, Value>> cotangents,
                              ArrayRef<Operation *> ops, const Varying &varying,
                              bool isTrial) {
  Operation *end = joint.body().getTerminator();
  OpBuilder builder(end);
  Gradients gradients(builder);
  bool isPart = end->getNumOperands() > joint.numOutputs;
  if (!isPart)
    isZero.clear();
  for (auto [output, cotangent] : cotangents)
    gradients.add(end->getOperand(output), cotangent);
  if (failed(gnn::differentiate(builder, ops, varying, gradients)))
    return failure();
  for (unsigned number : inputs) {
    Value input = joint.body().getArgument(number);
    Value gradient = gradients.get(input);
    if (!gradient) {
      if (!isTrial && (!isPart || !isZero.contains(number)))
        missed(getArgument(), joint.func.getLoc(), "ZeroGradient")
            << "no result " +
                   std::string(isPart ? "whose gradient is given " : "") +
                   "depends on input '" + getInputName(joint.func, number) +
                   "': its gradient is 0";
      isZero.insert(number);
      gradient = GradientBuilder(builder, joint.func.getLoc())
                     .splat(input.getType(), 0);
    }
    end->insertOperands(end->getNumOperands(), gradient);
  }
  return success();
}

LogicalResult Differentiate::addGradients(JointFunction &joint,
                                          ArrayRef<unsigned> inputs,
                                          ArrayRef<unsigned> given,
                                          bool isTrial) {
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
  SmallVector<Operation *> ops = list();
  varying = findVarying(ops, wanted);
  SmallVector<std::pair<unsigned, Value>> all, some;
  for (unsigned i = 0; i < joint.numOutputs; ++i)
    if (Value output = end->getOperand(i); mayHaveGradient(output.getType())) {
      all.push_back({i, body.addArgument(output.getType(), output.getLoc())});
      if (llvm::is_contained(given, i))
        some.push_back(all.back());
    }
  joint.numGradients = inputs.size();
  if (failed(addGradientsOf(joint, inputs, all, ops, varying, isTrial)) ||
      (some.size() < all.size() &&
       failed(addGradientsOf(joint, inputs, some, ops, varying, isTrial))))
    return failure();
  joint.func.setType(FunctionType::get(&getContext(), body.getArgumentTypes(),
                                       end->getOperandTypes()));
  joint.func.setArgAttrsAttr({});
  joint.func.setResAttrsAttr({});
  return success();
}

func::FuncOp Differentiate::build(const JointFunction &joint, func::FuncOp of,
                                  StringRef pass, ArrayRef<Border> arguments,
                                  ArrayRef<Border> results) {
  auto valuesOf = [](ArrayRef<Border> borders) {
    return llvm::map_to_vector(
        borders, [](const Border &border) { return border.value; });
  };
  SmallVector<Value> inputs = valuesOf(arguments), outputs = valuesOf(results);
  OpBuilder builder(joint.func);
  auto func = func::FuncOp::create(
      builder, of.getLoc(), passName(of.getName(), pass),
      builder.getFunctionType(ValueRange(inputs).getTypes(),
                              ValueRange(outputs).getTypes()));
  func->setAttr(attribute::gradientOf, FlatSymbolRefAttr::get(of));
  func->setAttr(attribute::pass, builder.getStringAttr(pass));
  Block *block = func.addEntryBlock();
  IRMapping mapping;
  for (auto [i, border] : llvm::enumerate(arguments)) {
    mapping.map(border.value, block->getArgument(i));
    func.setArgAttrs(i, border.attributes(&getContext()));
  }
  for (auto [i, border] : llvm::enumerate(results))
    func.setResultAttrs(i, border.attributes(&getContext()));
  // The ops that compute the results, in the order of the joint function.
  llvm::DenseSet<Value> needed = findSources(
      outputs, [&](Value value) { return mapping.contains(value); });
  builder.setInsertionPointToEnd(block);
  for (Operation &op : joint.body().without_terminator())
    if (llvm::any_of(op.getResults(), [&](Value result) {
          return needed.contains(result) && !mapping.contains(result);
        })) {
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

void Differentiate::split(const JointFunction &joint, func::FuncOp func,
                          ArrayRef<unsigned> inputs,
                          ArrayRef<unsigned> outputs) {
  std::optional<SavedValues> kept(std::in_place, joint, memory);
  if (readInputsOfActivations(joint, *kept))
    kept.emplace(joint, memory);
  const SavedValues &values = *kept;
  for (const KeptValue &kept : values.getDecisions()) {
    Location loc = kept.value.getLoc();
    Operation *maker = kept.value.getDefiningOp();
    std::string name = maker->getName().getStringRef().str();
    if (maker->getNumResults() > 1)
      name += " result " +
              std::to_string(cast<OpResult>(kept.value).getResultNumber());
    bool isResult = kept.reason.empty();
    StringRef what = isResult ? "Kept" : kept.saved ? "Saved" : "Recomputed";
    std::string text = name +
                       (isResult     ? ": a result, not saved, "
                        : kept.saved ? ": saved, "
                                     : ": computed again, ") +
                       textOfBytes(kept.bytes) +
                       (isResult ? "" : ": " + kept.reason);
    if (kept.saved)
      passed(getArgument(), loc, what) << text;
    else
      missed(getArgument(), loc, what) << text;
  }
  SmallVector<Border> arguments, results, of, gradients;
  llvm::DenseSet<Value> given; // each value once
  auto isGiven = [&](Value value) {
    return values.getHandedOver().contains(value);
  };
  llvm::DenseSet<Value> sources = findSources(joint.givenGradients(), isGiven);
  for (unsigned i = 0; i < joint.numInputs; ++i) {
    Border border = {joint.body().getArgument(i), getInputName(func, i),
                     "input"};
    arguments.push_back(border);
    if (sources.contains(border.value)) {
      of.push_back(border);
      given.insert(border.value);
    }
  }
  for (auto [i, output] : llvm::enumerate(joint.outputs())) {
    Border border = {output, getResultName(func, i), "output"};
    results.push_back(border);
    if (sources.contains(output) && isGiven(output) &&
        given.insert(output).second)
      of.push_back(border);
  }
  ValueKeys keys(joint.body());
  for (auto [i, value] : llvm::enumerate(values.getSaved())) {
    Border border = {value, (savedPrefix + Twine(i)).str(), "saved",
                     keys.get(value)};
    results.push_back(border);
    if (sources.contains(value))
      of.push_back(border);
  }
  auto ofTensor = [](Value gradient, const std::string &tensor) -> Border {
    return {gradient, gradientName(tensor), "gradient", "", tensor};
  };
  unsigned number = joint.numInputs;
  for (unsigned i = 0; i < joint.numOutputs; ++i) {
    if (!mayHaveGradient(func.getResultTypes()[i]))
      continue;
    Value cotangent = joint.body().getArgument(number++);
    if (llvm::is_contained(outputs, i))
      of.push_back(ofTensor(cotangent, getResultName(func, i)));
  }
  for (auto [input, gradient] : llvm::zip(inputs, joint.givenGradients()))
    gradients.push_back(ofTensor(gradient, getInputName(func, input)));
  build(joint, func, "forward", arguments, results);
  build(joint, func, "backward", of, gradients);
}

FailureOr<JointFunction>
Differentiate::join(func::FuncOp func, ArrayRef<unsigned> inputs,
                    ArrayRef<unsigned> given, bool isTrial,
                    function_ref<void(unsigned, Operation *)> mark) {
  JointFunction joint = {func.clone(), func.getNumArguments(),
                         func.getNumResults()};
  joint.func.setName((func.getName() + "_joint").str());
  SymbolTable(getOperation())
      .insert(joint.func, std::next(func->getIterator()));
  for (auto [number, attention] :
       llvm::enumerate(joint.body().getOps<AttentionOp>()))
    mark(number, attention);
  OpPassManager pm = cleaning();
  LogicalResult added = addGradients(joint, inputs, given, isTrial);
  for (auto attention : joint.body().getOps<AttentionOp>())
    attention->removeAttr(sumOverEdges);
  if (succeeded(added) && succeeded(runPipeline(pm, joint.func))) {
    readReshapedResults(joint);
    return joint;
  }
  joint.func.erase();
  return failure();
}

FailureOr<llvm::DenseSet<unsigned>>
Differentiate::findSumsOverEdges(func::FuncOp func, ArrayRef<unsigned> inputs,
                                 ArrayRef<unsigned> given) {
  llvm::DenseSet<unsigned> overEdges;
  if (func.getBody().front().getOps<AttentionOp>().empty())
    return overEdges;
  Builder b(&getContext());
  FailureOr<JointFunction> joint =
      join(func, inputs, given, /*isTrial=*/true,
           [&](unsigned number, Operation *attention) {
             attention->setAttr(attentionNumber, b.getI64IntegerAttr(number));
           });
  if (failed(joint))
    return failure();
  for (const GroupSum &sum :
       chooseGroupSums(*joint, memory, getFigures(getOperation()))) {
    std::string text = "gnn.attention: " + sum.reason;
    if (sum.overEdges)
      passed(getArgument(), sum.loc, "GroupSum") << text;
    else
      missed(getArgument(), sum.loc, "GroupSum") << text;
    if (sum.overEdges)
      overEdges.insert(sum.attention);
  }
  joint->func.erase();
  return overEdges;
}

LogicalResult
Differentiate::differentiate(func::FuncOp func, ArrayRef<std::string> names,
                             ArrayRef<std::string> namesOfOutputs) {
  if (func.isExternal() || !func.getBody().hasOneBlock())
    return func.emitOpError(
        "expected a function of one block to differentiate");
  FailureOr<SmallVector<unsigned>> inputs = findInputs(func, names);
  if (failed(inputs))
    return failure();
  FailureOr<SmallVector<unsigned>> given = findOutputs(func, namesOfOutputs);
  if (failed(given) || failed(verifyNames(func)))
    return failure();
  for (StringRef pass : {"forward", "backward"})
    if (std::string name = passName(func.getName(), pass);
        getOperation().lookupSymbol(name))
      return func.emitOpError("cannot be differentiated: the module has a '")
             << name << "' already";
  if (inputs->empty() || given->empty())
    return func.emitOpError("has no gradient: expected floating point features "
                            "among its ")
           << (inputs->empty() ? "inputs" : "results") << ", got none";
  FailureOr<llvm::DenseSet<unsigned>> sums =
      findSumsOverEdges(func, *inputs, *given);
  if (failed(sums))
    return failure();
  FailureOr<JointFunction> joint =
      join(func, *inputs, *given, /*isTrial=*/false,
           [&](unsigned number, Operation *attention) {
             if (sums->contains(number))
               attention->setAttr(sumOverEdges, UnitAttr::get(&getContext()));
           });
  if (failed(joint))
    return failure();
  split(*joint, func, *inputs, *given);
  joint->func.erase();
  if (!calls) { // its passes refer to it
    func.eraseBody();
    func.setPrivate();
  }
  return success();
}
