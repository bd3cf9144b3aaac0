//===- HoistFactors.cpp - Factors that vary less come first ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of a leaky activation is one of two factors, both times the same
// weight: lanes keep the products of weights, and choose between these. Weights
// of a softmax are divided by a sum that all elements of a row share.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_HOISTFACTORS
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

using Factors = SmallVector<Value, 4>;

/// The values of which a value is the product: itself, if it is none.
static void collectFactors(Value value, Factors &factors) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product) {
    factors.push_back(value);
    return;
  }
  collectFactors(product.getLhs(), factors);
  collectFactors(product.getRhs(), factors);
}

static Value multiply(OpBuilder &b, Location loc, ArrayRef<Value> factors) {
  Value made;
  for (Value factor : factors)
    made =
        made ? arith::MulFOp::create(b, loc, made, factor).getResult() : factor;
  return made;
}

static bool variesByElement(Value value) { return getLevel(value).element; }

/// Takes the factors that vary by element out; false where there is none, or
/// only such are there.
static bool takeVarying(Factors &factors, Factors &varying) {
  auto firstVarying = llvm::partition(
      factors, [](Value factor) { return !variesByElement(factor); });
  varying.assign(firstVarying, factors.end());
  factors.erase(firstVarying, factors.end());
  return !varying.empty() && !factors.empty();
}

/// Whether a quotient may be a product with a reciprocal: it is said to be, or
/// what is divided is approximate.
static bool mayBeReciprocal(arith::DivFOp op) {
  using arith::FastMathFlags;
  auto has = [](FastMathFlags flags, FastMathFlags flag) {
    return arith::bitEnumContainsAll(flags, flag);
  };
  auto power = op.getLhs().getDefiningOp<math::ExpOp>();
  return has(op.getFastmath(), FastMathFlags::arcp) ||
         (power && has(power.getFastmath(), FastMathFlags::afn));
}

namespace {
struct HoistFactors : gnn::impl::HoistFactorsBase<HoistFactors> {
  void runOnOperation() override {
    getOperation()->walk([&](TraverseOp op) {
      if (op.getSchedule()) {
        refused(getArgument(), op.getLoc()) << "it has a schedule";
        return;
      }
      Changes changes;
      for (Operation &inner : llvm::make_early_inc_range(op.getBody().front()))
        if (auto select = dyn_cast<arith::SelectOp>(inner))
          changes.chosen += compareResult(select) || chooseWeights(select);
        else if (auto quotient = dyn_cast<arith::DivFOp>(inner))
          divide(quotient, changes);
        else if (auto sum = dyn_cast<ReduceOp>(inner))
          changes.chosen += sumByMagnitude(sum);
      for (Operation &inner :
           llvm::make_early_inc_range(llvm::reverse(op.getBody().front())))
        if (isOpTriviallyDead(&inner))
          inner.erase();
      report(op, changes);
    });
  }

private:
  /// Those of one traversal.
  struct Changes {
    int64_t chosen = 0, divided = 0, approximate = 0;
  };

  void report(TraverseOp op, const Changes &changes);
  bool sumByMagnitude(ReduceOp op);
  bool compareResult(arith::SelectOp op);
  bool chooseWeights(arith::SelectOp op);
  void divide(arith::DivFOp op, Changes &changes);
};
} // namespace

void HoistFactors::report(TraverseOp op, const Changes &changes) {
  auto say = [&](StringRef what, int64_t count, StringRef of, StringRef text) {
    if (count > 0)
      passed(getArgument(), op.getLoc(), what)
          << gnn::counted(count, of) + text.str();
  };
  say("Chosen", changes.chosen, "factor", " that no element varies");
  say("Divided", changes.divided, "quotient", " by a reciprocal");
  say("Approximated", changes.approximate, "quotient",
      " by an approximate reciprocal each");
  if (!changes.chosen && !changes.divided && !changes.approximate)
    refused(getArgument(), op.getLoc())
        << "no factor or divisor of its elements may be moved";
}

/// The slope k of select(x > 0, x, k x), if that is what a choice is and k is
/// not negative.
static std::optional<double> getSlope(arith::SelectOp op) {
  auto compare = op.getCondition().getDefiningOp<arith::CmpFOp>();
  auto product = op.getFalseValue().getDefiningOp<arith::MulFOp>();
  Value x = op.getTrueValue();
  FloatAttr slope;
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::OGT ||
      compare.getLhs() != x ||
      !matchPattern(compare.getRhs(), m_AnyZeroFloat()) || !product ||
      product.getLhs() != x ||
      !matchPattern(product.getRhs(), m_Constant(&slope)) ||
      slope.getValue().isNegative())
    return std::nullopt;
  return slope.getValueAsDouble();
}

/// The sum of w select(x > 0, x, k x) over features is that of w (x + t |x|)
/// times (1 + k) / 2, with t = (1 - k) / (1 + k): no comparison, one product.
bool HoistFactors::sumByMagnitude(ReduceOp op) {
  auto product = op.getValue().getDefiningOp<arith::MulFOp>();
  bool sums =
      op.getKind() == Reduction::Sum &&
      op.getDims() == ArrayRef<int32_t>{static_cast<int32_t>(Dim::Feature)};
  if (!sums || !product || !product->hasOneUse() || !op.getType().isF32())
    return false;
  for (unsigned i : {0, 1}) {
    auto choice = product->getOperand(i).getDefiningOp<arith::SelectOp>();
    std::optional<double> slope =
        choice && choice->hasOneUse() && variesByElement(choice)
            ? getSlope(choice)
            : std::nullopt;
    if (!slope || !(*slope < 1))
      continue;
    OpBuilder b(product);
    Location loc = choice.getLoc();
    auto constant = [&](double value) -> Value {
      return arith::ConstantOp::create(
          b, loc, b.getF32FloatAttr(static_cast<float>(value)));
    };
    Value x = choice.getTrueValue();
    Value part = arith::MulFOp::create(b, loc, math::AbsFOp::create(b, loc, x),
                                       constant((1 - *slope) / (1 + *slope)));
    product->setOperand(i, arith::AddFOp::create(b, loc, x, part));
    b.setInsertionPointAfter(op);
    auto scaled = arith::MulFOp::create(b, op.getLoc(), op.getResult(),
                                        constant((1 + *slope) / 2));
    op.getResult().replaceAllUsesExcept(scaled, scaled);
    return true;
  }
  return false;
}

/// y = select(x > 0, x, k x) is positive where x is: what else asks for the
/// side of x may ask y, which is there in any case, for lanes have few
/// predicates.
bool HoistFactors::compareResult(arith::SelectOp op) {
  if (!getSlope(op) || op.getCondition().hasOneUse())
    return false;
  auto compare = op.getCondition().getDefiningOp<arith::CmpFOp>();
  OpBuilder b(op);
  b.setInsertionPointAfter(op);
  Value side = arith::CmpFOp::create(
      b, compare.getLoc(), arith::CmpFPredicate::OGT, op, compare.getRhs());
  compare.getResult().replaceUsesWithIf(side, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return user != op && user->getBlock() == op->getBlock() &&
           op->isBeforeInBlock(user);
  });
  return true;
}

/// select(c, w g, v g), of weights w and v and of g of each element, is
/// select(c, w, v) g.
bool HoistFactors::chooseWeights(arith::SelectOp op) {
  if (!isa<FloatType>(op.getType()) || !variesByElement(op))
    return false;
  Factors ofTrue, ofFalse, varying, otherVarying;
  collectFactors(op.getTrueValue(), ofTrue);
  collectFactors(op.getFalseValue(), ofFalse);
  if (!takeVarying(ofTrue, varying) || !takeVarying(ofFalse, otherVarying))
    return false;
  auto isBefore = [](Value x, Value y) {
    return x.getAsOpaquePointer() < y.getAsOpaquePointer();
  };
  Factors sorted(varying);
  llvm::sort(sorted, isBefore);
  llvm::sort(otherVarying, isBefore);
  if (sorted != otherVarying)
    return false;
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value weight = arith::SelectOp::create(b, loc, op.getCondition(),
                                         multiply(b, loc, ofTrue),
                                         multiply(b, loc, ofFalse));
  Value product =
      arith::MulFOp::create(b, loc, weight, multiply(b, loc, varying));
  op.replaceAllUsesWith(product);
  op.erase();
  return true;
}

/// A divisor that varies less than what it divides has one reciprocal; another
/// one an approximate one each time, where that is allowed.
void HoistFactors::divide(arith::DivFOp op, Changes &changes) {
  Level divided = getLevel(op.getLhs()), divisor = getLevel(op.getRhs());
  if (!mayBeReciprocal(op))
    return;
  constexpr auto flags = arith::FastMathFlags::arcp | arith::FastMathFlags::afn;
  if (divided.within(divisor)) { // as often
    changes.approximate += op.getFastmath() != flags;
    op.setFastmath(flags);
    return;
  }
  ++changes.divided;
  OpBuilder b(op);
  Value one = arith::ConstantOp::create(b, op.getLoc(),
                                        b.getFloatAttr(op.getType(), 1));
  Value reciprocal =
      arith::DivFOp::create(b, op.getLoc(), one, op.getRhs(), flags);
  Value product =
      arith::MulFOp::create(b, op.getLoc(), op.getLhs(), reciprocal);
  op.replaceAllUsesWith(product);
  op.erase();
}
