//===- Store.cpp - Measurements in a file ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/Store.h"

#include "llvm/Support/JSON.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace gnn;
using namespace gnn::tune;
namespace json = llvm::json;
using runtime::Error;
using runtime::Expected;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Store>> Store::open(const std::string &path) {
  int file =
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0)
    return runtime::failure("cannot write '", path,
                            "': ", std::strerror(errno));
  return std::unique_ptr<Store>(new Store(path, file));
}

Store::~Store() { ::close(file); }

static std::string describe(const Cell &cell,
                            llvm::ArrayRef<tile::ScheduleField> fields,
                            const Trial &trial) {
  const Measurement &measured = trial.measured;
  std::string line;
  llvm::raw_string_ostream stream(line);
  json::OStream out(stream);
  out.object([&] {
    out.attribute("cell", cell.name);
    out.attribute("device", cell.device);
    out.attribute("version", cell.version);
    tile::writeKey(out, cell.key);
    tile::writeFields(out, fields, trial.schedule);
    out.attribute("seconds", measured.seconds);
    if (!measured.isTimed()) {
      out.attribute("dropped", measured.dropped);
      return;
    }
    out.attribute("milliseconds", measured.milliseconds);
    out.attribute("spread", measured.spread);
    out.attribute("ratio", measured.ratio);
    out.attribute("rounds", measured.rounds);
    out.attribute("check", stringify(measured.check));
  });
  stream << "\n";
  return line;
}

Error Store::add(const Cell &cell, llvm::ArrayRef<tile::ScheduleField> fields,
                 const Trial &trial) {
  std::string line = describe(cell, fields, trial);
  llvm::StringRef rest = line;
  ::flock(file, LOCK_EX); // a write of a pipe's length and more may be cut
  while (!rest.empty()) {
    ssize_t written = ::write(file, rest.data(), rest.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      break;
    rest = rest.drop_front(written);
  }
  int status = errno;
  ::flock(file, LOCK_UN);
  if (!rest.empty())
    return runtime::failure("cannot write '", path,
                            "': ", std::strerror(status));
  return {};
}
