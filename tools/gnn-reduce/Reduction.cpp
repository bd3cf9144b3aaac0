//===- Reduction.cpp - Smaller modules with the same fault ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A delta debugging of modules: what MLIR's reduction tree erases has to be
// unused, which in a graph of tensors is the last op alone. Here an op that
// goes leaves its results to arguments of its function, so that any op may go
// first.
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Reducer/Tester.h"

using namespace mlir;

namespace {

/// What is left out, of a copy of the module that `mapping` leads to.
using Change = llvm::function_ref<void(const IRMapping &mapping)>;

struct Reduction : PassWrapper<Reduction, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Reduction)

  Reduction() = default;
  Reduction(const Reduction &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "gnn-reduction"; }
  StringRef getDescription() const override {
    return "Leave out of a module all that a fault does not need";
  }

  void runOnOperation() override;

private:
  /// Ops, and bytes of their text.
  using Size = std::pair<size_t, size_t>;
  std::optional<Size> test(ModuleOp module) const;
  bool tryChange(Change change);
  template <typename T>
  bool tryChunks(size_t &most, SmallVector<T> all,
                 llvm::function_ref<void(ArrayRef<T>, const IRMapping &)> drop);

  bool dropSymbols();
  bool dropResults();
  bool returnOperands();
  bool replaceByArguments();
  bool replaceByOperands();
  bool replaceInside();
  bool dropAttributes();
  bool dropArguments();

  Option<std::string> script{
      *this, "test",
      llvm::cl::desc("A program that is given a file, and ends with another "
                     "status than 0 where the fault is there")};
  ListOption<std::string> scriptArguments{
      *this, "test-arg", llvm::cl::desc("Arguments in front of the file")};

  Tester tester;
  Size size;
  size_t mostSymbols = ~size_t(0), mostResults = ~size_t(0);
  size_t mostOps = ~size_t(0);
};

} // namespace

/// The size of a module that shows the fault; none of another.
std::optional<Reduction::Size> Reduction::test(ModuleOp module) const {
  auto [answer, bytes] = tester.isInteresting(module);
  if (answer != Tester::Interestingness::True)
    return std::nullopt;
  size_t ops = 0;
  module.walk([&](Operation *) { ++ops; });
  return Size(ops, bytes);
}

/// Keeps a change to the module where it is valid, smaller and shows the fault.
bool Reduction::tryChange(Change change) {
  ModuleOp module = getOperation();
  IRMapping mapping;
  OwningOpRef<ModuleOp> copy(cast<ModuleOp>(module->clone(mapping)));
  change(mapping);
  {
    // Changes that make no module are no errors of the user's.
    ScopedDiagnosticHandler quiet(&getContext(),
                                  [](Diagnostic &) { return success(); });
    if (failed(verify(*copy)))
      return false;
  }
  std::optional<Size> changed = test(*copy);
  if (!changed || *changed >= size)
    return false;
  size = *changed;
  module.getBodyRegion().takeBody(copy->getBodyRegion());
  module->setAttrs(copy.get()->getDiscardableAttrDictionary());
  return true;
}

/// Drops a share of them that may go, of `most` at first, which becomes the
/// size of what went, since larger ones were tried. Whether any did: the caller
/// finds anew what is left.
template <typename T>
bool Reduction::tryChunks(
    size_t &most, SmallVector<T> all,
    llvm::function_ref<void(ArrayRef<T>, const IRMapping &)> drop) {
  for (size_t size = std::min(most, all.size()); size > 0; size /= 2)
    for (size_t first = 0; first < all.size(); first += size) {
      ArrayRef<T> chunk =
          ArrayRef<T>(all).slice(first, std::min(size, all.size() - first));
      if (tryChange([&](const IRMapping &mapping) { drop(chunk, mapping); })) {
        most = size;
        return true;
      }
    }
  most = 1;
  return false;
}

/// Ops without effects and without uses go with what used them.
static void eraseDead(Operation *op) {
  SmallVector<Operation *> work{op};
  while (!work.empty()) {
    Operation *dead = work.pop_back_val();
    if (!isOpTriviallyDead(dead))
      continue;
    for (Value operand : dead->getOperands())
      if (Operation *source = operand.getDefiningOp())
        if (!llvm::is_contained(work, source))
          work.push_back(source);
    dead->erase();
  }
}

/// The ops of a function's own body, the last one first.
static SmallVector<Operation *> getOps(func::FuncOp function) {
  SmallVector<Operation *> ops;
  if (!function.isExternal())
    for (Operation &op :
         llvm::reverse(function.getBody().front().without_terminator()))
      ops.push_back(&op);
  return ops;
}

/// Functions and graphs that are not needed.
bool Reduction::dropSymbols() {
  SmallVector<Operation *> symbols;
  for (Operation &op : *getOperation().getBody())
    symbols.push_back(&op);
  return tryChunks<Operation *>(
      mostSymbols, symbols,
      [](ArrayRef<Operation *> chunk, const IRMapping &mapping) {
        for (Operation *op : chunk)
          mapping.lookup(op)->erase();
      });
}

/// Results that a function need not return, with what they are made of.
bool Reduction::dropResults() {
  struct Result {
    func::FuncOp function;
    unsigned number;
  };
  SmallVector<Result> results;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (!function.isExternal())
      for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
        results.push_back({function, e - 1 - i});
  return tryChunks<Result>(
      mostResults, results,
      [](ArrayRef<Result> chunk, const IRMapping &mapping) {
        for (auto [original, number] : chunk) { // the last one first
          auto function =
              cast<func::FuncOp>(mapping.lookup(original.getOperation()));
          Operation *end = function.getBody().front().getTerminator();
          Operation *source = end->getOperand(number).getDefiningOp();
          end->eraseOperand(number);
          (void)function.eraseResult(number);
          if (source)
            eraseDead(source);
        }
      });
}

/// Results in whose place what they are made of may be returned.
bool Reduction::returnOperands() {
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    Operation *end = function.getBody().front().getTerminator();
    for (OpOperand &returned : end->getOpOperands()) {
      Operation *source = returned.get().getDefiningOp();
      for (Value operand : source ? source->getOperands() : ValueRange())
        if (tryChange([&](const IRMapping &mapping) {
              auto copy =
                  cast<func::FuncOp>(mapping.lookup(function.getOperation()));
              mapping.lookup(end)->setOperand(returned.getOperandNumber(),
                                              mapping.lookup(operand));
              copy.setFunctionType(
                  FunctionType::get(copy.getContext(), copy.getArgumentTypes(),
                                    mapping.lookup(end)->getOperandTypes()));
              eraseDead(mapping.lookup(source));
            }))
          return true;
    }
  }
  return false;
}

/// Ops whose results may as well be arguments.
bool Reduction::replaceByArguments() {
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    auto replace = [&](ArrayRef<Operation *> chunk, const IRMapping &mapping) {
      auto copy = cast<func::FuncOp>(mapping.lookup(function.getOperation()));
      SmallVector<Operation *> found;
      for (Operation *op : chunk)
        found.push_back(mapping.lookup(op));
      for (Operation *op : found)
        for (Value result : op->getResults()) {
          if (result.use_empty())
            continue;
          unsigned count = copy.getNumArguments();
          (void)copy.insertArgument(count, result.getType(), {}, op->getLoc());
          result.replaceAllUsesWith(copy.getArgument(count));
        }
      for (Operation *op : found) // each behind its users
        op->erase();
    };
    if (tryChunks<Operation *>(mostOps, getOps(function), replace))
      return true;
  }
  return false;
}

/// Ops that one of their operands may stand for.
bool Reduction::replaceByOperands() {
  SmallVector<std::pair<Operation *, unsigned>> found;
  for (auto function : getOperation().getOps<func::FuncOp>())
    for (Operation *op : getOps(function))
      if (op->getNumResults() == 1)
        for (OpOperand &operand : op->getOpOperands())
          if (operand.get().getType() == op->getResult(0).getType())
            found.push_back({op, operand.getOperandNumber()});
  for (auto [op, number] : found)
    if (tryChange([op = op, number = number](const IRMapping &mapping) {
          Operation *copy = mapping.lookup(op);
          copy->getResult(0).replaceAllUsesWith(copy->getOperand(number));
          copy->erase();
        }))
      return true;
  return false;
}

/// Ops in the bodies of others, whose results another value of theirs or a
/// constant may stand for.
bool Reduction::replaceInside() {
  SmallVector<Operation *> inside;
  getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isInside = op->getParentOp() && op->getNumResults() == 1 &&
                    !isa<ModuleOp, func::FuncOp>(op->getParentOp()) &&
                    !op->hasTrait<OpTrait::ConstantLike>();
    if (isInside)
      inside.push_back(op);
  });
  auto becomes = [&](Operation *op,
                     llvm::function_ref<Value(Operation *)> get) {
    return tryChange([&](const IRMapping &mapping) {
      Operation *copy = mapping.lookup(op);
      copy->getResult(0).replaceAllUsesWith(get(copy));
      copy->erase();
    });
  };
  for (Operation *op : llvm::reverse(inside)) {
    Type type = op->getResult(0).getType();
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get().getType() == type &&
          becomes(op, [number = operand.getOperandNumber()](Operation *copy) {
            return copy->getOperand(number);
          }))
        return true;
    auto shaped = dyn_cast<ShapedType>(type);
    if (isa<MemRefType>(type) || (shaped && !shaped.hasStaticShape()))
      continue;
    Builder builder(type.getContext());
    TypedAttr one = builder.getOneAttr(type);
    if (one && becomes(op, [&](Operation *copy) -> Value {
          OpBuilder before(copy);
          return arith::ConstantOp::create(before, copy->getLoc(), one);
        }))
      return true;
  }
  return false;
}

/// Puts an op with these attributes, and defaults of others, in the place of
/// another.
static void replaceWith(Operation *op, const NamedAttrList &attributes) {
  OperationState state(op->getLoc(), op->getName(), op->getOperands(),
                       op->getResultTypes(), attributes);
  state.addSuccessors(op->getSuccessors());
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  OpBuilder builder(op);
  op->replaceAllUsesWith(builder.create(state));
  op->erase();
}

/// Attributes that may be left out: statistics of graphs, schedules, hints.
bool Reduction::dropAttributes() {
  SmallVector<std::pair<Operation *, StringAttr>> found;
  getOperation().walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      if (attribute.getName() != SymbolTable::getSymbolAttrName())
        found.push_back({op, attribute.getName()});
  });
  for (auto [op, name] : found)
    if (tryChange([op = op, name = name](const IRMapping &mapping) {
          Operation *copy = mapping.lookup(op);
          NamedAttrList left(copy->getAttrDictionary());
          left.erase(name);
          replaceWith(copy, left);
        }))
      return true;
  return false;
}

/// Arguments without uses, and those that another one of their type may stand
/// for.
bool Reduction::dropArguments() {
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    auto erase = [&](func::FuncOp copy) {
      llvm::BitVector unused(copy.getNumArguments());
      for (BlockArgument argument : copy.getArguments())
        if (argument.use_empty())
          unused.set(argument.getArgNumber());
      (void)copy.eraseArguments(unused);
    };
    auto copyOf = [&](const IRMapping &mapping) {
      return cast<func::FuncOp>(mapping.lookup(function.getOperation()));
    };
    auto isUnused = [](BlockArgument argument) { return argument.use_empty(); };
    if (llvm::any_of(function.getArguments(), isUnused) &&
        tryChange([&](const IRMapping &mapping) { erase(copyOf(mapping)); }))
      return true;
    for (BlockArgument later : llvm::reverse(function.getArguments()))
      for (BlockArgument earlier : function.getArguments()) {
        if (earlier.getArgNumber() >= later.getArgNumber() ||
            earlier.getType() != later.getType())
          continue;
        if (tryChange([&](const IRMapping &mapping) {
              mapping.lookup<Value>(later).replaceAllUsesWith(
                  mapping.lookup<Value>(earlier));
              erase(copyOf(mapping));
            }))
          return true;
      }
  }
  return false;
}

void Reduction::runOnOperation() {
  tester = Tester(script, scriptArguments);
  if (script.empty()) {
    emitError(UnknownLoc::get(&getContext()))
        << getArgument() << ": expected 'test', a program, got none";
    return signalPassFailure();
  }
  OwningOpRef<ModuleOp> empty = ModuleOp::create(getOperation().getLoc());
  if (test(*empty)) {
    emitError(UnknownLoc::get(&getContext()))
        << getArgument() << ": expected '" << script
        << "' to end with 0 for a module without ops, got another status: does "
           "it run?";
    return signalPassFailure();
  }
  std::optional<Size> whole = test(getOperation());
  if (!whole) {
    getOperation().emitError("expected a module for which '")
        << script << "' ends with another status than 0, got one for which it "
        << "ends with 0";
    return signalPassFailure();
  }
  size = *whole;
  // The cheapest way to the largest loss first; each starts again with what is
  // left.
  while (dropSymbols() || dropResults() || replaceByArguments() ||
         dropArguments() || returnOperands() || replaceByOperands() ||
         replaceInside() || dropAttributes()) {
  }
}

void gnn::tools::registerReductionPass() { PassRegistration<Reduction>(); }
