//===- EdgeNumbers.cpp - Numbers of the elements under way ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A score is one number of an element, and all lanes of a row would compute it.
// So the numbers of the elements under way are one vector, of which each lane
// has its own: one power for all of them, and one sum of lanes. Where groups
// end among the elements, they are taken one by one, and all lanes have each
// number.
//
//===----------------------------------------------------------------------===//

#include "EdgeWalks.h"

#include "GNN/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// Which they are
//===----------------------------------------------------------------------===//

/// A reduction over the features of an element.
static bool reducesFeatures(Value value) {
  auto reduce = value.getDefiningOp<ReduceOp>();
  return reduce && !reducesElements(reduce) &&
         reduce.getDims() ==
             ArrayRef<int32_t>{static_cast<int32_t>(Dim::Feature)} &&
         getLevel(reduce.getValue()).feature;
}

/// Whether a value is computed of such alone, element by element.
static bool isPointwise(Value value) {
  Operation *inner = value.getDefiningOp();
  return inner && OpTrait::hasElementwiseMappableTraits(inner) &&
         inner->getNumResults() == 1;
}

/// Whether each element has one of it, or each head of an element.
bool EdgeWalk::mayBeNumber(Value value) {
  Level level = getLevel(value);
  return level.element && !level.feature &&
         (reducesFeatures(value) || isPointwise(value));
}

/// Adds what a number is computed of, as far as these are numbers.
void EdgeWalk::addNumber(Value value) {
  if (!mayBeNumber(value) || !numbers.insert(value) || reducesFeatures(value))
    return;
  for (Value operand : value.getDefiningOp()->getOperands())
    addNumber(operand);
}

/// Scores, sums over features, and what is computed of these.
void EdgeWalk::collectNumbers(const llvm::SetVector<Value> &needs) {
  if (layout.inFlight == 1)
    return;
  for (Operation *reduction : reductions)
    if (auto softmax = dyn_cast<SoftmaxSumOp>(reduction))
      addNumber(softmax.getScore());
  for (Value value : needs) {
    bool isOfNumbers =
        isPointwise(value) &&
        llvm::any_of(value.getDefiningOp()->getOperands(),
                     [&](Value operand) { return numbers.contains(operand); });
    if (mayBeNumber(value) && (reducesFeatures(value) || isOfNumbers))
      addNumber(value);
  }
}

/// Whether something that is no number needs one of each element.
bool EdgeWalk::isReadByPoint(Value value) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    unsigned number = use.getOperandNumber();
    if (auto softmax = dyn_cast<SoftmaxSumOp>(user))
      return !numbers.contains(softmax.getScore()) ||
             (number > 0 && getLevel(softmax.getOperand(number)).feature);
    if (isa<YieldOp>(user))
      return op.getOutputAt(number).getAnchor() == Anchor::Element &&
             !isScattered(number);
    return user->getNumResults() != 1 || !numbers.contains(user->getResult(0));
  });
}

/// Whether lanes store a number of the elements under way, one each. An output
/// with features takes the number for each of them.
bool EdgeWalk::isScattered(unsigned output) {
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  return numbers.contains(yield.getValues()[output]) &&
         domain.getHeads() == 1 && !op.getOutputAt(output).getFeature();
}

/// Whether lanes load a number of the elements under way, one each.
bool EdgeWalk::isGathered(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  Level level = getLevel(value);
  return argument && level.element && !level.feature &&
         !op.getInputAt(argument.getArgNumber()).getFeature() &&
         domain.getHeads() == 1 && !numbers.empty() && !isReadByPoint(value);
}

//===----------------------------------------------------------------------===//
// Their values
//===----------------------------------------------------------------------===//

/// Has what follows be computed of one element.
void EdgeWalk::enterPoint(Batch &batch, unsigned u) {
  point = &batch.points[u];
  for (auto [value, known] : llvm::zip_equal(ofGroup, batch.getGroupValues(u)))
    rowValues[value] = known;
}

/// Each value for all elements before the next one: loads are issued together.
void EdgeWalk::evaluateBatch(ArrayRef<Value> values, Batch &batch) {
  for (Value value : values) {
    bool isNumber = numbers.contains(value) || isGathered(value);
    Value across = isNumber ? acrossOf(value, batch) : Value();
    if (isNumber && !isReadByPoint(value))
      continue;
    for (unsigned u = 0; u < batch.points.size(); ++u) {
      enterPoint(batch, u);
      if (isNumber)
        point->values[value] =
            ofPoint(across, u, typeAt(value.getType(), getLevel(value)));
      else
        (void)valueOf(value);
    }
  }
  point = nullptr;
}

/// Loads a number of each element under way, which lie side by side: as
/// vectors, or those of all teams of a warp from `buffer`, if it is not null.
/// In a step with padding, which has zeros, they are loaded one by one.
SmallVector<Value> EdgeWalk::loadElements(ValueRange numbers, Type type,
                                          function_ref<Value(unsigned)> load,
                                          Value buffer) {
  auto count = static_cast<unsigned>(numbers.size());
  SmallVector<Type> types(count, type);
  auto isThere = [&](Value number) { return b.less(number, op.getEndRow()); };
  auto loadAll = [&] {
    return llvm::map_to_vector(llvm::seq<unsigned>(0, count), load);
  };
  auto loadSome = [&] {
    return llvm::map_to_vector(llvm::enumerate(numbers), [&](auto one) {
      auto [u, number] = one;
      return choose(
                 isThere(number), type,
                 [&, u = u] { return Values{load(static_cast<unsigned>(u))}; },
                 [&] { return Values{constant(type, 0)}; })
          .front();
    });
  };
  if (!buffer)
    return choose(isThere(numbers.back()), types, loadAll, loadSome);
  Value hasPadding = arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                           numbers.back(), op.getEndRow());
  auto loadShares = [&]() -> Values {
    return LoadNumbersOp::create(b, count, buffer, stepOfBlock, teamOfStep,
                                 TeamShare::elements)
        .getNumbers();
  };
  return choose(AnyTeamOp::create(b, hasPadding), types, loadSome, loadShares);
}

/// The buffer of an input that has one number of 32 bits for each element, if
/// its shares are loaded together; else null, as where a result takes its
/// place.
Value EdgeWalk::getNumbersOf(BlockArgument argument, Type type) {
  Value buffer = op.getInputs()[argument.getArgNumber()];
  auto memref = cast<MemRefType>(buffer.getType());
  bool isOne = memref.getRank() == 1 && memref.getLayout().isIdentity() &&
               memref.getElementType() == type &&
               (type.isF32() || type.isInteger(32));
  bool isWritten = llvm::any_of(op.getOutputs(), [&](Value output) {
    return getBuffer(output) == getBuffer(buffer);
  });
  return loadsShares() && isOne && !isWritten ? buffer : Value();
}

/// Loads what lies in the order of the elements.
void EdgeWalk::loadSideBySide(Batch &batch) {
  if (layout.inFlight == 1)
    return;
  auto isInOrder = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    Type type = typeAt(value.getType(), getLevel(value));
    return argument && !isGathered(value) && !isa<VectorType>(type) &&
           op.getInputAt(argument.getArgNumber()).isInOrderOf(domain);
  };
  // Lanes wait for what they exchange: rows are asked for in front of that.
  if (loadsShares())
    evaluateBatch(llvm::filter_to_vector(ofElement,
                                         [&](Value value) {
                                           return isa<BlockArgument>(value) &&
                                                  !isInOrder(value);
                                         }),
                  batch);
  for (Value value : ofElement) {
    if (!isInOrder(value))
      continue;
    auto argument = cast<BlockArgument>(value);
    Type type = typeAt(value.getType(), getLevel(value));
    Batch own = batch;
    Values numbers;
    for (WalkPoint &here : own.points) {
      here.position = here.number;
      numbers.push_back(here.number);
    }
    Values loaded = loadElements(
        numbers, type,
        [&](unsigned u) {
          enterPoint(own, u);
          return evaluate(value);
        },
        getNumbersOf(argument, type));
    point = nullptr;
    for (auto [here, one] : llvm::zip_equal(batch.points, loaded))
      here.values[value] = one;
  }
}

/// Gives all lanes the numbers of elements that are there.
void EdgeWalk::spreadNumbers(Batch &batch) {
  for (Value value : ofElement) {
    Value across = batch.across.lookup(value);
    Type type = typeAt(value.getType(), getLevel(value));
    for (auto [u, here] : llvm::enumerate(batch.points))
      if (across)
        here.values[value] = ofPoint(across, u, type);
  }
}

/// Whether a value is computed of numbers.
bool EdgeWalk::needsNumbers(Value value) {
  Operation *inner = value.getDefiningOp();
  return numbers.contains(value) ||
         (inner && llvm::any_of(inner->getOperands(), [&](Value operand) {
            return needsNumbers(operand);
          }));
}

/// The values that numbers are reduced of, for one element, while its group is
/// there.
void EdgeWalk::evaluateReduced(Batch &batch, unsigned u) {
  enterPoint(batch, u);
  for (Value number : numbers)
    if (reducesFeatures(number)) {
      Value reduced = number.getDefiningOp<ReduceOp>().getValue();
      if (!needsNumbers(reduced))
        (void)valueOf(reduced);
    }
  point = nullptr;
}

/// Elements come last; heads are the dimension before, where there are several.
Type EdgeWalk::numbersAt(Type element, Level level) {
  if (domain.getHeads() == 1)
    return VectorType::get({layout.inFlight}, element);
  return VectorType::get({level.head ? domain.getHeads() : 1, layout.inFlight},
                         element);
}

Value EdgeWalk::spreadAcross(Value value, Type type) {
  if (value.getType() == type)
    return value;
  return vector::BroadcastOp::create(b, type, value);
}

/// A value of all elements, of its group or of neither, as numbers of elements.
Value EdgeWalk::acrossOf(Value value, Batch &batch) {
  if (Value known = batch.across.lookup(value))
    return known;
  Value made;
  Level level = getLevel(value);
  Type type = numbersAt(value.getType(), level);
  if (isGathered(value)) {
    made = gather(cast<BlockArgument>(value), batch);
  } else if (!numbers.contains(value)) {
    bool isSame = !level.element && (batch.groupValues.size() == 1 ||
                                     !llvm::is_contained(ofGroup, value));
    if (isSame) {
      enterPoint(batch, 0);
      made = spreadAcross(valueOf(value), type);
    } else {
      made = collectPoints(value, batch);
    }
  } else if (reducesFeatures(value)) {
    made = reduceEach(value.getDefiningOp<ReduceOp>(), batch);
  } else {
    SmallVector<Value> operands;
    for (Value operand : value.getDefiningOp()->getOperands()) {
      Type own = numbersAt(operand.getType(), level);
      operands.push_back(spreadAcross(acrossOf(operand, batch), own));
    }
    LocationScope scope(b, value.getLoc());
    made = mlir::clone(b, value.getDefiningOp(), type, operands)->getResult(0);
  }
  point = nullptr;
  return batch.across[value] = made;
}

/// The value of each element, one a lane.
Value EdgeWalk::collectPoints(Value value, Batch &batch) {
  Values each;
  for (unsigned u = 0; u < batch.points.size(); ++u) {
    enterPoint(batch, u);
    each.push_back(valueOf(value));
  }
  point = nullptr;
  return numbersOf(each, value.getType());
}

/// A value of each element, one a lane.
Value EdgeWalk::numbersOf(ValueRange each, Type element) {
  if (isa<VectorType>(each.front().getType())) // of heads, with one feature
    return ReduceEachOp::create(b, Reduction::Sum, each);
  Value made = vector::FromElementsOp::create(
      b, VectorType::get({layout.inFlight}, element), each);
  return spreadAcross(made, numbersAt(element, {}));
}

Value EdgeWalk::reduceEach(ReduceOp reduce, Batch &batch) {
  Values each;
  for (unsigned u = 0; u < batch.points.size(); ++u) {
    enterPoint(batch, u);
    each.push_back(valueOf(reduce.getValue()));
  }
  point = nullptr;
  LocationScope scope(b, reduce.getLoc());
  Type type = numbersAt(reduce.getType(), getLevel(reduce.getResult()));
  if (!isa<VectorType>(each.front().getType())) // one feature, one head
    return vector::FromElementsOp::create(b, cast<VectorType>(type), each);
  bool isMean = reduce.getKind() == Reduction::Mean;
  Value sum =
      ReduceEachOp::create(b, isMean ? Reduction::Sum : reduce.getKind(), each);
  if (isMean)
    sum = arith::DivFOp::create(b, sum, constant(type, domain.getFeatures()));
  return sum;
}

/// The number of one element, as a value of `type`.
Value EdgeWalk::ofPoint(Value across, unsigned u, Type type) {
  auto source = cast<VectorType>(across.getType());
  if (source.getElementType().isInteger(1)) { // lanes exchange 32 bits
    Type wide = b.getI32Type(), one = wide;
    if (auto vector = dyn_cast<VectorType>(type))
      one = vector.clone(wide);
    across = arith::ExtUIOp::create(b, source.clone(wide), across);
    Value flag = ofPoint(across, u, one);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, flag,
                                 constant(one, 0));
  }
  if (source.getRank() == 1)
    return vector::ExtractOp::create(b, across, static_cast<int64_t>(u));
  Value column = vector::ExtractStridedSliceOp::create(
      b, across, ArrayRef<int64_t>{0, static_cast<int64_t>(u)},
      ArrayRef<int64_t>{source.getDimSize(0), 1}, ArrayRef<int64_t>{1, 1});
  if (column.getType() == type)
    return column;
  return vector::ExtractOp::create(b, column, ArrayRef<int64_t>{0, 0});
}

/// All elements reduced to a value of `type`.
Value EdgeWalk::overElements(Value across, Reduction kind, Type type) {
  auto source = cast<VectorType>(across.getType());
  Type element = source.getElementType();
  Type left = element;
  if (source.getRank() == 2)
    left = VectorType::get({source.getDimSize(0)}, element);
  vector::CombiningKind how = kind == Reduction::Max
                                  ? vector::CombiningKind::MAXIMUMF
                                  : vector::CombiningKind::ADD;
  Value made = vector::MultiDimReductionOp::create(
      b, left, how, across, constant(left, identityOf(kind, element)),
      ArrayRef<int64_t>{source.getRank() - 1});
  if (made.getType() == type)
    return made;
  if (isa<VectorType>(type))
    return vector::ShapeCastOp::create(b, type, made);
  return vector::ExtractOp::create(b, made, 0);
}

/// 0, 1, and so on.
Value EdgeWalk::numbersOfElements() {
  return vector::StepOp::create(
      b, VectorType::get({layout.inFlight}, b.getIndexType()));
}

/// The row of each element in a buffer. Padding, if it is read, has that of the
/// last one.
Value EdgeWalk::rowsOf(AtAttr at, Batch &batch, bool isRead) {
  auto type = VectorType::get({layout.inFlight}, b.getIndexType());
  auto ofAll = [&](Value index) -> Value {
    return vector::BroadcastOp::create(b, type, index);
  };
  if (at.isInOrderOf(domain)) {
    Value number =
        b.add(ofAll(batch.points.front().number), numbersOfElements());
    if (!isRead)
      return number;
    return b.min(number, ofAll(b.sub(op.getEndRow(), b.index(1))));
  }
  Values rows;
  for (unsigned u = 0; u < batch.points.size(); ++u) {
    enterPoint(batch, u);
    rows.push_back(rowOf(at));
  }
  point = nullptr;
  return vector::FromElementsOp::create(b, type, rows);
}

/// A buffer as one dimension, and where in it each element has its number.
std::pair<Value, Value> EdgeWalk::placesOf(AtAttr at, Value buffer,
                                           Batch &batch, bool isRead) {
  Value places = rowsOf(at, batch, isRead);
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 1)
    return {buffer, places};
  int64_t heads = type.getDimSize(1); // of which the domain has one
  if (heads > 1)
    places = b.add(b.mul(places, heads), at.getHeadOffset());
  Value size = memref::DimOp::create(b, buffer, 0);
  if (heads > 1)
    size = b.mul(size, heads);
  Value flat = memref::ReinterpretCastOp::create(
      b, MemRefType::get({ShapedType::kDynamic}, type.getElementType()), buffer,
      b.getIndexAttr(0), ArrayRef<OpFoldResult>{size},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  return {flat, places};
}

/// Loads a number of each element.
Value EdgeWalk::gather(BlockArgument argument, Batch &batch) {
  unsigned input = argument.getArgNumber();
  auto [buffer, places] =
      placesOf(op.getInputAt(input), op.getInputs()[input], batch,
               /*isRead=*/true);
  auto type = VectorType::get({layout.inFlight}, argument.getType());
  Value all = constant(type.clone(b.getI1Type()), 1);
  return vector::GatherOp::create(b, type, buffer, ValueRange(b.index(0)),
                                  places, all, constant(type, 0));
}

/// Stores a number of each element; padding has none.
void EdgeWalk::scatter(unsigned output, Batch &batch) {
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  Value value = acrossOf(yield.getValues()[output], batch);
  auto type = VectorType::get({layout.inFlight}, b.getIndexType());
  auto ofAll = [&](Value index) -> Value {
    return vector::BroadcastOp::create(b, type, index);
  };
  Value number = b.add(ofAll(batch.points.front().number), numbersOfElements());
  Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, number,
                                       ofAll(op.getEndRow()));
  auto [buffer, places] =
      placesOf(op.getOutputAt(output), op.getOutputs()[output], batch,
               /*isRead=*/false);
  vector::ScatterOp::create(b, /*resultType=*/Type(), buffer,
                            ValueRange(b.index(0)), places, inside, value,
                            /*alignment=*/llvm::MaybeAlign());
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Whether each lane adds the numbers of its own elements until a group ends,
/// which takes no exchange.
bool EdgeWalk::isApart(OpResult result) {
  auto softmax = dyn_cast<SoftmaxSumOp>(result.getOwner());
  return softmax && numbers.contains(softmax.getScore()) &&
         result != softmax.getHighest() && !getLevel(result).feature &&
         layout.inFlight > 1 && layout.inFlight <= layout.featureLanes;
}

/// States as steps without ends carry them.
SmallVector<Value> EdgeWalk::takeApart(ValueRange states) {
  Values apart;
  for (auto [result, state] : llvm::zip_equal(results(), states)) {
    if (!isApart(result)) {
      apart.push_back(state);
      continue;
    }
    Values each(layout.inFlight, constant(state.getType(), 0)); // of the first
    each.front() = state;
    apart.push_back(numbersOf(each, result.getType()));
  }
  return apart;
}

SmallVector<Value> EdgeWalk::putTogether(ValueRange states) {
  Values whole;
  for (auto [result, type, state] : llvm::zip_equal(results(), types, states))
    whole.push_back(isApart(result) ? overElements(state, Reduction::Sum, type)
                                    : state);
  return whole;
}

Value EdgeWalk::powerOf(Value score, Value highest) {
  return math::ExpOp::create(b, arith::SubFOp::create(b, score, highest),
                             arith::FastMathFlags::afn);
}

/// Adds elements of one group.
SmallVector<Value> EdgeWalk::addSoftmax(SoftmaxSumOp softmax, ValueRange before,
                                        Batch &batch) {
  LocationScope scope(b, softmax.getLoc());
  Value scores = acrossOf(softmax.getScore(), batch);
  Value top = overElements(scores, Reduction::Max, before[0].getType());
  top = combineKind(Reduction::Max, before[0], top);
  Value scale = powerOf(before[0], top);
  Value powers = powerOf(scores, spreadAcross(top, scores.getType()));
  Values after{top};
  for (auto [i, result] : llvm::enumerate(softmax.getSums())) {
    Level level = getLevel(result);
    Value value = softmax.getValues()[i];
    Value factor = spread(scale, level);
    if (isApart(result))
      factor = spreadAcross(factor, before[i + 1].getType());
    Value sum = arith::MulFOp::create(b, factor, before[i + 1]);
    if (!level.feature) {
      Type type = numbersAt(result.getType(), level);
      Value terms =
          arith::MulFOp::create(b, spreadAcross(powers, type),
                                spreadAcross(acrossOf(value, batch), type));
      if (!isApart(result))
        terms = overElements(terms, Reduction::Sum, sum.getType());
      after.push_back(arith::AddFOp::create(b, sum, terms));
      continue;
    }
    for (unsigned u = 0; u < batch.points.size(); ++u) {
      Value power = ofPoint(powers, u, before[0].getType());
      enterPoint(batch, u);
      Value term = arith::MulFOp::create(b, spread(power, level),
                                         spread(valueOf(value), level));
      sum = arith::AddFOp::create(b, sum, term);
    }
    point = nullptr;
    after.push_back(sum);
  }
  return after;
}
