//===- Jit.cpp - Code of the host in this process -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Host/Jit.h"

#include "LibraryFunctions.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace gnn;

static llvm::Error defineSymbols(llvm::orc::LLJIT &jit,
                                 ArrayRef<host::Symbol> own) {
  llvm::orc::SymbolMap symbols;
  auto define = [&](StringRef name, void *address) {
    symbols[jit.mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  for (const host::Symbol &symbol : own)
    define(symbol.name, symbol.address);
  for (const host::Symbol &function : host::getLibraryFunctions())
    define(function.name, function.address);
  return jit.getMainJITDylib().define(
      llvm::orc::absoluteSymbols(std::move(symbols)));
}

struct host::Jit::State {
  llvm::orc::JITTargetMachineBuilder machine;
  Runs runs;
  std::string reported; // by the session, of the last lookup
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

host::Jit::Jit(std::unique_ptr<State> state) : state(std::move(state)) {}
host::Jit::~Jit() = default;

llvm::Expected<std::unique_ptr<host::Jit>>
host::Jit::create(ArrayRef<Symbol> symbols, Optimization optimization) {
  auto machine = describeMachine(optimization);
  if (!machine)
    return machine.takeError();
  auto state =
      std::make_unique<State>(State{*machine, optimization.runs, {}, nullptr});
  llvm::orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(std::move(*machine))
      .setLinkProcessSymbolsByDefault(false)
      .setPlatformSetUp(llvm::orc::setUpInactivePlatform);
  auto jit = builder.create();
  if (!jit)
    return jit.takeError();
  if (llvm::Error error = defineSymbols(**jit, symbols))
    return std::move(error);
  (*jit)->getExecutionSession().setErrorReporter(
      [reported = &state->reported](llvm::Error error) {
        std::string text = llvm::toString(std::move(error));
        if (reported->empty()) // what follows is no news
          *reported = std::move(text);
      });
  state->jit = std::move(*jit);
  return std::unique_ptr<Jit>(new Jit(std::move(state)));
}

llvm::Expected<void *> host::Jit::lookup(StringRef name) {
  std::string &reported = state->reported;
  reported.clear();
  auto address = state->jit->lookup(name);
  if (address)
    return address->toPtr<void *>();
  if (reported.empty())
    return address.takeError();
  llvm::consumeError(address.takeError());
  return llvm::createStringError("expected kernels that call what the host "
                                 "has, got: " +
                                 reported);
}

llvm::Error host::Jit::add(ArrayRef<ModuleOp> modules, unsigned threads) {
  auto objects = generateCode(modules, state->machine, state->runs, threads);
  if (!objects)
    return objects.takeError();
  for (Object &object : *objects)
    if (llvm::Error error = state->jit->addObjectFile(std::move(object)))
      return error;
  return llvm::Error::success();
}
