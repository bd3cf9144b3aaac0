//===- PtxParts.cpp - PTX of kernels by several threads -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nearly all of the time of compiling goes into PTX, kernel by kernel. Threads
// share no context, as what crashes in one may hold a lock of it.
//
//===----------------------------------------------------------------------===//

#include "PtxParts.h"

#include "PtxText.h"

#include "GNN/InitDialects.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CrashRecoveryContext.h"

#include <pthread.h>

#include <atomic>
#include <memory>

using namespace mlir;
using namespace gnn;

/// The stack of a thread: as that of the thread that compiles
/// (lib/CAPI/Compiler.cpp).
static constexpr size_t stackBytes = size_t(256) << 20;

namespace {
/// A kernel as bytes that any context reads.
struct KernelBytes {
  unsigned module; // number of its gpu.module
  size_t weight;   // ops
  std::string bytes;
};

/// Kernels that are compiled together, and what becomes of them.
struct KernelBatch {
  ArrayRef<KernelBytes> kernels;
  /// The PTX of its kernels of each gpu.module that it has some of.
  SmallVector<std::pair<unsigned, std::string>> texts;
  bool isDone = false;
};

/// The work of the threads. Each of them owns it.
struct Work {
  std::string shell;
  /// These are the caller's, who waits for all threads.
  const Stage &stage;
  const StageOptions &stages;
  std::vector<KernelBytes> kernels;
  std::vector<KernelBatch> parts;
  /// The first part that no thread has taken.
  std::atomic<size_t> next{0};
};
} // namespace

static std::string bytesOf(Operation *op) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (failed(writeBytecodeToFile(op, stream)))
    return {};
  return bytes;
}

/// `module` with empty modules of kernels and nothing else.
static OwningOpRef<ModuleOp> makeShell(ModuleOp module) {
  auto shell = cast<ModuleOp>(module->cloneWithoutRegions());
  shell.getBodyRegion().emplaceBlock();
  for (auto kernels : module.getOps<gpu::GPUModuleOp>()) {
    auto empty = cast<gpu::GPUModuleOp>(kernels->cloneWithoutRegions());
    empty.getBodyRegion().emplaceBlock();
    shell.push_back(empty);
  }
  return shell;
}

/// All kernels; none where a gpu.module has something else, or one cannot be
/// written.
static std::vector<KernelBytes> collectKernels(ModuleOp module) {
  std::vector<KernelBytes> kernels;
  unsigned number = 0;
  for (auto owner : module.getOps<gpu::GPUModuleOp>()) {
    for (Operation &op : *owner.getBody()) {
      auto kernel = dyn_cast<gpu::GPUFuncOp>(op);
      if (!kernel || !kernel.isKernel())
        return {};
      size_t weight = 0;
      kernel.walk([&](Operation *) { ++weight; });
      kernels.push_back({number, weight, bytesOf(kernel)});
      if (kernels.back().bytes.empty())
        return {};
    }
    ++number;
  }
  return kernels;
}

/// Kernels in their order in at most `count` parts of about as many ops.
static std::vector<KernelBatch> splitKernels(ArrayRef<KernelBytes> kernels,
                                             size_t count) {
  size_t all = 0, before = 0;
  for (const KernelBytes &kernel : kernels)
    all += kernel.weight;
  std::vector<KernelBatch> parts(count);
  size_t begin = 0;
  for (auto [i, part] : llvm::enumerate(parts)) {
    size_t end = begin;
    // A kernel belongs to the part where its middle is.
    while (end < kernels.size() &&
           (before + kernels[end].weight / 2) * count < all * (i + 1))
      before += kernels[end++].weight;
    part.kernels = kernels.slice(begin, end - begin);
    begin = end;
  }
  llvm::erase_if(parts,
                 [](const KernelBatch &part) { return part.kernels.empty(); });
  return parts;
}

static LogicalResult readBytes(StringRef bytes, Block *block,
                               MLIRContext *context) {
  // The module of a kernel is around it, which the reader does not see.
  ParserConfig config(context, /*verifyAfterParse=*/false);
  return readBytecodeFile(llvm::MemoryBufferRef(bytes, "kernel"), block,
                          config);
}

/// Makes the PTX of a part.
static void makePtx(const Work &work, KernelBatch &part) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler silent(&context,
                                 [](Diagnostic &) { return success(); });
  Block block;
  if (failed(readBytes(work.shell, &block, &context)))
    return;
  OwningOpRef<ModuleOp> module = cast<ModuleOp>(block.front());
  module->getOperation()->remove();
  SmallVector<gpu::GPUModuleOp> owners(module->getOps<gpu::GPUModuleOp>());
  for (const KernelBytes &kernel : part.kernels)
    if (failed(
            readBytes(kernel.bytes, owners[kernel.module].getBody(), &context)))
      return;
  SmallVector<unsigned> numbers;
  for (auto [i, owner] : llvm::enumerate(owners)) {
    if (owner.getBody()->empty())
      owner.erase();
    else
      numbers.push_back(i);
  }
  PassManager pm(&context);
  work.stage.build(pm, work.stages);
  pm.enableVerifier(false);
  if (failed(pm.run(*module)))
    return;
  for (auto [number, binary] :
       llvm::zip_equal(numbers, module->getOps<gpu::BinaryOp>()))
    part.texts.push_back({number, getPtx(binary).str()});
  part.isDone = true;
}

/// Makes the PTX of parts as long as there are some that no thread has taken.
static void *workOnParts(void *given) {
  std::unique_ptr<std::shared_ptr<Work>> owner(
      static_cast<std::shared_ptr<Work> *>(given));
  Work &work = **owner;
  for (size_t i; (i = work.next++) < work.parts.size();)
    llvm::CrashRecoveryContext().RunSafely(
        [&] { makePtx(work, work.parts[i]); });
  return nullptr;
}

/// Starts at most `count` threads: fewer where there is a limit on threads or
/// memory. (llvm::thread ends the process there.)
static SmallVector<pthread_t> startThreads(const std::shared_ptr<Work> &work,
                                           size_t count) {
  SmallVector<pthread_t> threads;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return threads;
  if (pthread_attr_setstacksize(&attributes, stackBytes) == 0)
    while (threads.size() < count) {
      auto owner = std::make_unique<std::shared_ptr<Work>>(work);
      pthread_t thread;
      if (pthread_create(&thread, &attributes, workOnParts, owner.get()) != 0)
        break;
      (void)owner.release(); // The thread has it.
      threads.push_back(thread);
    }
  pthread_attr_destroy(&attributes);
  return threads;
}

std::optional<std::string> gnn::makePtxInParts(ModuleOp module,
                                               const Stage &stage,
                                               const StageOptions &stages,
                                               unsigned threads) {
  if (threads < 2)
    return std::nullopt;
  std::vector<KernelBytes> kernels = collectKernels(module);
  if (kernels.size() < 2)
    return std::nullopt;
  std::shared_ptr<Work> work(new Work{
      bytesOf(*makeShell(module)), stage, stages, std::move(kernels), {}});
  work->parts = splitKernels(work->kernels,
                             std::min<size_t>(threads, work->kernels.size()));
  SmallVector<pthread_t> running = startThreads(work, work->parts.size());
  if (running.empty())
    return std::nullopt;
  for (pthread_t thread : running)
    pthread_join(thread, nullptr);
  SmallVector<PtxPart> texts;
  for (const KernelBatch &part : work->parts) {
    if (!part.isDone)
      return std::nullopt;
    for (const auto &[number, text] : part.texts)
      texts.push_back({number, text});
  }
  return joinPtxParts(texts);
}
