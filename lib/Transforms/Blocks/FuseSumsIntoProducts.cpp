//===- FuseSumsIntoProducts.cpp - Sums in the block of their product ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Aggregate-then-transform in one kernel: a block walks the rows of its tile,
// keeps what it has summed in workgroup memory, and multiplies it there. The
// sum is moved down to its product, so that what stands between both must not
// write what it reads.
//
//===----------------------------------------------------------------------===//

#include "../Utils/Blocks.h"

#include "GNN/Dialect/GNN/IR/ScheduleFrom.h"
#include "GNN/Dialect/Tile/IR/Buffers.h"
#include "GNN/Dialect/Tile/IR/ProductLayout.h"
#include "GNN/Dialect/Tile/IR/Registers.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Transforms/Blocks/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_FUSESUMSINTOPRODUCTS
#include "GNN/Transforms/Blocks/Passes.h.inc"
} // namespace gnn

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Whether two buffers may share memory. Places in the workspace do where they
/// begin at the same byte, others lie apart (gnn-tile-plan-memory).
static bool mayOverlap(Value a, Value b) {
  auto viewA = a.getDefiningOp<memref::ViewOp>();
  auto viewB = b.getDefiningOp<memref::ViewOp>();
  if (a == b || !viewA || !viewB)
    return a == b || (viewA && getBuffer(viewA.getSource()) == b) ||
           (viewB && getBuffer(viewB.getSource()) == a);
  return viewA.getSource() == viewB.getSource() &&
         isEqualConstantIntOrValue(viewA.getByteShift(), viewB.getByteShift());
}

namespace {
/// The buffers that an op reads and writes.
struct Touched {
  llvm::SetVector<Value> read, written;

  explicit Touched(Operation *op) { add(op); }

  static bool overlaps(const llvm::SetVector<Value> &buffers, Value buffer) {
    return llvm::any_of(buffers,
                        [&](Value other) { return mayOverlap(other, buffer); });
  }

private:
  void add(Operation *op);
};
} // namespace

void Touched::add(Operation *op) {
  op->walk([&](Operation *inner) {
    if (inner->hasTrait<OpTrait::IsTerminator>()) // what it gives is read
      for (Value operand : inner->getOperands())
        if (isa<MemRefType>(operand.getType()))
          read.insert(getBuffer(operand));
    if (isPure(inner) || isa<ViewLikeOpInterface>(inner))
      return;
    bool isKnown = isa<MemoryEffectOpInterface>(inner);
    if (!isKnown && inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return;
    if (!isKnown) { // such as a call
      for (Value operand : inner->getOperands())
        if (isa<MemRefType>(operand.getType())) {
          read.insert(getBuffer(operand));
          written.insert(getBuffer(operand));
        }
      return;
    }
    for (auto [accessed, isWrite] : getAccesses(inner))
      (isWrite ? written : read).insert(accessed);
  });
}

//===----------------------------------------------------------------------===//
// A sum and its product
//===----------------------------------------------------------------------===//

/// The template that stands alone in a loop over blocks; null if none does.
static TileOpInterface onlyTemplate(BlocksOp loop) {
  TileOpInterface found;
  for (Operation &op : loop.getBody()->without_terminator())
    if (auto one = dyn_cast<TileOpInterface>(op)) {
      if (found)
        return {};
      found = one;
    }
  return found;
}

namespace {
class SumIntoProduct {
public:
  SumIntoProduct(TraverseOp sum, GemmOp product)
      : sum(sum), product(product),
        sumBlocks(cast<BlocksOp>(sum->getParentOp())),
        productBlocks(cast<BlocksOp>(product->getParentOp())),
        buffer(getBuffer(sum.getOutputs()[0])) {}

  /// Empty if the block of the product can compute the sum, else why not.
  std::string explainRefusal();
  void fuse();

  int64_t features() { return sum.getDomain().getFeatures(); }
  int64_t arrayBytes() { return ProductLayout::rows * features() * 4; }

private:
  std::string checkAccesses();
  std::string checkBuffers();
  std::string checkLayout();
  bool isOverwritten();
  TraverseSchedule laidOutAgain();
  Value makeArray(OpBuilder &builder);
  void moveSum(Value array);
  void stageThroughRegisters();
  void takeAllColumns();
  void stateCost();
  void dropBuffer();

  TraverseOp sum;
  GemmOp product;
  BlocksOp sumBlocks, productBlocks;
  Value buffer; ///< that the sum writes
};
} // namespace

/// Rows of one walk, without heads, all of whose features are summed.
std::string SumIntoProduct::checkAccesses() {
  DomainAttr domain = sum.getDomain();
  MLIRContext *context = sum.getContext();
  auto ofRow = AtAttr::get(context, Anchor::Group, RowDomain(), /*head=*/false,
                           /*feature=*/true, /*offset=*/0);
  if (sum.getOutputs().size() != 1)
    return "it has several results";
  if (product.getInputAt() != ofRow || product.getOutputAt().getHead())
    return "the product does not read its rows one by one";
  if (sum.getOutputAt(0) != ofRow)
    return "it does not write its rows one by one";
  if (sum.getGraphAttr() != product.getGraphAttr())
    return "its rows are of another graph";
  if (domain.getGroups() != product.getRows() ||
      !domain.getGroups().isOfGraph())
    return "its rows are '" + domain.getGroups().str() +
           "', those of the product '" + product.getRows().str() + "'";
  auto type = cast<MemRefType>(sum.getOutputs()[0].getType());
  if (type.getShape().back() != features() || product.getIn() != features())
    return "the product reads other columns beside it";
  if (!type.getElementType().isF32())
    return "expected f32";
  // As gnn-tile-block-products makes it: of rows, columns and heads.
  if (productBlocks.getRank() != 3 ||
      product.getFirstColumn() != productBlocks.getInductionVars()[1])
    return "the second dimension of the product's blocks is not its columns";
  for (Value operand : sum->getOperands())
    if (isa<MemRefType>(operand.getType()) &&
        sumBlocks->isAncestor(operand.getParentBlock()->getParentOp()))
      return "it reads what its own block has made";
  return "";
}

/// Whether the buffer of the sum holds something else behind the product before
/// it is read again.
bool SumIntoProduct::isOverwritten() {
  bool isOfCaller = isa<BlockArgument>(buffer);
  for (Operation *op = productBlocks; op; op = op->getNextNode()) {
    Touched touched(op);
    bool isProduct = op == productBlocks; // it reads the sum
    if (!isProduct && touched.read.contains(buffer))
      return false;
    if (!touched.written.contains(buffer))
      continue;
    auto loop = dyn_cast<BlocksOp>(op);
    TileOpInterface writer = loop ? onlyTemplate(loop) : TileOpInterface();
    auto destination =
        writer ? dyn_cast<DestinationStyleOpInterface>(*writer) : nullptr;
    if (!destination)
      return false;
    return llvm::any_of(
        destination.getDpsInitsMutable(), [&](OpOperand &output) {
          AtAttr at = writer.getAccess(output);
          return getBuffer(output.get()) == buffer && at &&
                 at.getAnchor() == Anchor::Group && !at.getSpace() &&
                 writer.getGroups() == product.getRows() &&
                 writer.getWrittenColumns(output).isWhole;
        });
  }
  return !isOfCaller;
}

std::string SumIntoProduct::checkBuffers() {
  Touched bySum(sumBlocks), byProduct(productBlocks);
  for (Operation *op = sumBlocks->getNextNode(); op != productBlocks;
       op = op->getNextNode()) {
    Touched between(op);
    if (Touched::overlaps(between.read, buffer) ||
        Touched::overlaps(between.written, buffer))
      return "something else reads it";
    for (Value read : bySum.read)
      if (Touched::overlaps(between.written, read))
        return "what it reads is written before the product";
  }
  for (Value read : bySum.read)
    if (Touched::overlaps(byProduct.written, read))
      return "the product writes over what it reads";
  // The product as its input, and maybe as its output.
  int64_t reads = llvm::count_if(product->getOperands(), [&](Value operand) {
    return isa<MemRefType>(operand.getType()) && getBuffer(operand) == buffer;
  });
  bool isOutput = getBuffer(product.getOutput()) == buffer;
  if (reads != 1 + isOutput || !isOverwritten())
    return "something else reads it";
  return "";
}

/// As many teams as the product has threads for, and rows as they lie: the
/// product takes them so.
TraverseSchedule SumIntoProduct::laidOutAgain() {
  TraverseSchedule schedule(sum);
  schedule.columnsPerBlock = features();
  TraverseLayout layout = layOut(schedule, TraverseFacts(sum));
  schedule.rowsPerBlock = ProductLayout::threads / layout.threadsPerRow();
  schedule.rowOrder = TakenOrder::Natural;
  return schedule;
}

std::string SumIntoProduct::checkLayout() {
  TraverseSchedule schedule(sum);
  if (schedule.isOneLane)
    return "a core walks its rows in turn";
  if (schedule.rowWalk == RowWalk::Block)
    return "a block walks each of its rows";
  if (sum.joinsPieces())
    return "teams take equal shares of its elements";
  if (schedule.rowsPerTeam > 1)
    return "a team takes several of its rows";
  if (!RegisterFields(sum.getScheduleAttr()).areOpen())
    return "its schedule says registers of a kernel of its own";
  schedule = laidOutAgain();
  TraverseFacts facts(sum);
  TraverseLayout layout = layOut(schedule, facts);
  if (std::string why = tile::explainRefusal(schedule, facts, layout);
      !why.empty())
    return why;
  ProductLayout products = layOutInBlock(product, product.getScheduleAttr());
  int64_t bytes = arrayBytes() + layout.sharedBytes + products.sharedBytes();
  if (bytes > facts.limits.sharedBytes)
    return ("it would take " + Twine(bytes) +
            " bytes of workgroup memory with its product, of " +
            Twine(facts.limits.sharedBytes))
        .str();
  return "";
}

std::string SumIntoProduct::explainRefusal() {
  for (auto check :
       {&SumIntoProduct::checkAccesses, &SumIntoProduct::checkBuffers,
        &SumIntoProduct::checkLayout})
    if (std::string why = (this->*check)(); !why.empty())
      return why;
  return "";
}

//===----------------------------------------------------------------------===//
// One loop over blocks
//===----------------------------------------------------------------------===//

/// The rows of a tile in workgroup memory.
Value SumIntoProduct::makeArray(OpBuilder &builder) {
  auto space = gpu::AddressSpaceAttr::get(
      builder.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto type =
      MemRefType::get({ProductLayout::rows, features()}, builder.getF32Type(),
                      MemRefLayoutAttrInterface(), space);
  return ArrayOp::create(builder, sum.getLoc(), type);
}

/// The sum on the range of the product, with the index arrays that its new
/// schedule needs.
void SumIntoProduct::moveSum(Value array) {
  OpBuilder builder(product);
  Location loc = sum.getLoc();
  SmallVector<StructureKey> before = sum.getStructures();
  laidOutAgain().setOn(sum);
  SmallVector<Value> arrays;
  for (const StructureKey &key : sum.getStructures())
    arrays.push_back(
        sum.getIndexArrays()[llvm::find(before, key) - before.begin()]);
  sum.getIndexArraysMutable().assign(arrays);
  sum.getOutputsMutable().assign(array);
  sum.getFirstRowMutable().assign(product.getFirstRow());
  sum.getEndRowMutable().assign(arith::AddIOp::create(
      builder, loc, product.getFirstRow(), product.getRowCount()));
  sum.getFirstColumnMutable().assign(
      arith::ConstantIndexOp::create(builder, loc, 0));
  sum->moveBefore(product);
}

/// States what both cost in place of what each has cost alone.
void SumIntoProduct::stateCost() {
  BlockBuilder blocks(product);
  blocks.b.setInsertionPoint(productBlocks);
  TileCost cost = sum.getCost(), ofProduct = product.getCost();
  cost.readBytes += ofProduct.readBytes;
  cost.writtenBytes += ofProduct.writtenBytes;
  cost.flops += ofProduct.flops;
  for (BlocksOp loop : {sumBlocks, productBlocks})
    if (CostOp stated = loop.findCost())
      stated.erase();
  blocks.stateCost(cost);
}

/// Erases views of the buffer that nothing uses any more, and takes its place
/// from the workspace where it was alone there: what lies behind moves up.
void SumIntoProduct::dropBuffer() {
  for (Operation *user : llvm::make_early_inc_range(buffer.getUsers()))
    if (isa<ViewLikeOpInterface>(user) && user->use_empty())
      user->erase();
  auto view = buffer.getDefiningOp<memref::ViewOp>();
  if (!view || !view->use_empty())
    return;
  Value workspace = view.getSource(), begin = view.getByteShift();
  view.erase();
  bool isShared = llvm::any_of(workspace.getUsers(), [&](Operation *user) {
    auto other = dyn_cast<memref::ViewOp>(user);
    return other && isEqualConstantIntOrValue(other.getByteShift(), begin);
  });
  // `begin + bytes` is where the next place begins, or the workspace ends.
  if (isShared || !begin.hasOneUse())
    return;
  if (auto next = dyn_cast<arith::AddIOp>(*begin.user_begin());
      next && next.getLhs() == begin) {
    next.replaceAllUsesWith(begin);
    next.erase();
  }
}

/// Little is staged at once, and no step ahead: nothing is copied
/// asynchronously.
void SumIntoProduct::stageThroughRegisters() {
  ProductSchedule schedule(product.getScheduleAttr());
  if (schedule.copies == ProductCopies::Async)
    schedule.copies = ProductCopies::Registers;
  product.setScheduleAttr(schedule.get(product.getContext()));
}

/// One block has all columns of the product, so that it sums its rows once.
void SumIntoProduct::takeAllColumns() {
  int64_t columns = product.getScheduleAttr().getN();
  SmallVector<int64_t> steps(productBlocks.getSteps());
  steps[1] = llvm::alignTo(product.getOut(), columns);
  productBlocks.setSteps(steps);
  OpBuilder builder(productBlocks.getBody()->getTerminator());
  for (int64_t first = columns; first < product.getOut(); first += columns) {
    auto next = cast<GemmOp>(builder.clone(*product));
    builder.setInsertionPoint(next);
    Value offset =
        arith::ConstantIndexOp::create(builder, product.getLoc(), first);
    next.getFirstColumnMutable().assign(arith::AddIOp::create(
        builder, product.getLoc(), product.getFirstColumn(), offset));
    builder.setInsertionPointAfter(next);
  }
}

void SumIntoProduct::fuse() {
  OpBuilder builder(product);
  Value array = makeArray(builder);
  moveSum(array);
  stageThroughRegisters();
  product.getInputMutable().assign(array);
  takeAllColumns();
  productBlocks->setLoc(
      builder.getFusedLoc({sumBlocks.getLoc(), productBlocks.getLoc()}));
  productBlocks.setScheduleAttr(
      builder.getArrayAttr({sum.getScheduleAttr(), product.getScheduleAttr()}));
  gnn::copyScheduleFrom(sumBlocks, productBlocks);
  productBlocks.setMadeOf("traverse_gemm");
  stateCost();
  sumBlocks.erase();
  dropBuffer();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The traversal that alone wrote the rows that a product reads, if one did.
static TraverseOp findSum(GemmOp product) {
  Value buffer = getBuffer(product.getInput());
  for (Operation *op = product->getParentOp()->getPrevNode(); op;
       op = op->getPrevNode()) {
    auto loop = dyn_cast<BlocksOp>(op);
    if (!loop || !Touched(loop).written.contains(buffer))
      continue;
    TileOpInterface made = onlyTemplate(loop);
    auto sum = made ? dyn_cast<TraverseOp>(*made) : TraverseOp();
    return sum && sum.getDomain().getElements() ? sum : TraverseOp();
  }
  return {};
}

namespace {
struct FuseSumsIntoProducts
    : gnn::impl::FuseSumsIntoProductsBase<FuseSumsIntoProducts> {
  void runOnOperation() override {
    SmallVector<GemmOp> products;
    getOperation()->walk([&](GemmOp product) {
      auto loop = dyn_cast<BlocksOp>(product->getParentOp());
      if (loop && product.isOnRange() && onlyTemplate(loop))
        products.push_back(product);
    });
    for (GemmOp product : products) {
      TraverseOp sum = findSum(product);
      if (!sum)
        continue;
      SumIntoProduct pair(sum, product);
      std::string why = pair.explainRefusal();
      if (!why.empty()) {
        refused(getArgument(), product.getLoc())
            << ("the sum that is multiplied stays a kernel: " + why);
        continue;
      }
      pair.fuse();
      passed(getArgument(), product.getLoc(), "SumInProduct")
          << ("rows of " + Twine(pair.features()) +
              " features are summed in the block that multiplies them, " +
              Twine(pair.arrayBytes()) + " bytes of workgroup memory")
                 .str();
    }
  }
};
} // namespace
