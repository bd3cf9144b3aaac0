//===- Store.cpp - Measurements in a file ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/Store.h"

#include "GNN/OptionFiles/OptionFiles.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace gnn;
using namespace gnn::tune;
namespace json = llvm::json;
using runtime::Error;
using runtime::Expected;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

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
  return line;
}

Error Store::add(const Cell &cell, llvm::ArrayRef<tile::ScheduleField> fields,
                 const Trial &trial) const {
  return appendLine(path, describe(cell, fields, trial));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads one line; keeps the first that is wrong with it.
class LineReader {
public:
  explicit LineReader(const json::Object &object) : object(object) {}

  Expected<StoredMeasurement> read();

private:
  void expect(bool holds, llvm::StringRef what, llvm::StringRef name) {
    if (!holds && wrong.empty())
      wrong = tile::wrongField(object, name, what).message();
  }
  void expectRead(const std::string &message) {
    if (wrong.empty())
      wrong = message;
  }
  std::string text(llvm::StringRef name) {
    auto value = object.getString(name);
    expect(value.has_value(), "a string", name);
    return value.value_or("").str();
  }
  double time(llvm::StringRef name) {
    auto value = object.getNumber(name);
    expect(value && std::isfinite(*value) && *value > 0,
           "a finite number above 0", name);
    return value.value_or(0);
  }
  double number(llvm::StringRef name) {
    auto value = object.getNumber(name);
    expect(value && std::isfinite(*value) && *value >= 0,
           "a finite number of at least 0", name);
    return value.value_or(0);
  }
  void readMeasurement(Measurement &measured);

  const json::Object &object;
  std::string wrong;
};
} // namespace

void LineReader::readMeasurement(Measurement &measured) {
  measured.seconds = number("seconds");
  if (object.get("dropped")) {
    measured.dropped = text("dropped");
    expect(!measured.dropped.empty(), "a reason", "dropped");
    return;
  }
  measured.milliseconds = time("milliseconds");
  measured.spread = number("spread");
  measured.ratio = time("ratio");
  constexpr int64_t mostRounds = std::numeric_limits<unsigned>::max();
  auto rounds = object.getInteger("rounds");
  expect(rounds && *rounds >= 0 && *rounds <= mostRounds,
         "a whole number from 0 to " + std::to_string(mostRounds), "rounds");
  measured.rounds = rounds.value_or(0);
  std::string check = text("check");
  for (Check one : {Check::None, Check::SameBits, Check::Close})
    if (check == stringify(one)) {
      measured.check = one;
      return;
    }
  expect(false, "none, same bits or close", "check");
}

Expected<StoredMeasurement> LineReader::read() {
  StoredMeasurement line;
  Cell &cell = line.cell;
  cell.name = text("cell");
  cell.device = text("device");
  cell.version = text("version");
  auto key = tile::readKey(object);
  expectRead(key.message());
  auto fields = tile::readFields(object);
  expectRead(fields.message());
  expect(fields && !fields->empty(), "fields", "schedule");
  readMeasurement(line.measured);
  if (!wrong.empty())
    return Error(wrong);
  cell.key = std::move(*key);
  line.fields = std::move(*fields);
  return line;
}

/// A measurement as it is in a store.
static Expected<StoredMeasurement> readLine(llvm::StringRef line) {
  auto object = tile::parseLine(line);
  if (!object)
    return object.takeError();
  return LineReader(*object).read();
}

Error Store::check() const {
  if (Error error =
          checkFirstLine(path, "measurements", [](llvm::StringRef line) {
            return readLine(line).takeError();
          }))
    return error;
  return appendLine(path, "");
}

Expected<std::vector<StoredMeasurement>>
gnn::tune::readStore(const std::string &path) {
  auto file = readInput(path);
  if (!file)
    return file.takeError();
  std::vector<StoredMeasurement> result;
  size_t number = 0;
  for (llvm::StringRef line : llvm::split((*file)->getBuffer(), '\n')) {
    ++number;
    if (line.trim().empty())
      continue;
    auto stored = readLine(line);
    if (!stored)
      return runtime::failure(path, ":", number, ": ", stored.message());
    stored->place = path + ":" + std::to_string(number);
    result.push_back(std::move(*stored));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Replay
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<StoreMeasurer>>
StoreMeasurer::create(llvm::ArrayRef<StoredMeasurement> stored,
                      llvm::StringRef cell, const tile::TemplateKey &key,
                      SearchSpace space, const Read &read, Complete complete) {
  std::unique_ptr<StoreMeasurer> made(
      new StoreMeasurer(std::move(space), std::move(complete)));
  for (const StoredMeasurement &line : stored) {
    if (!line.isOf(cell, key))
      continue;
    auto schedule = read(line.fields);
    if (!schedule)
      return schedule.takeError().in(line.place);
    if (made->known.empty()) {
      made->deviceName = line.cell.device;
      made->schedules.chosen = *schedule;
    }
    if (line.cell.device != made->deviceName)
      return runtime::failure("expected measurements of '", cell.str(),
                              "' and this template by one device, got '",
                              made->deviceName, "' and '", line.cell.device,
                              "'");
    made->known[*schedule] = line.measured;
  }
  if (made->known.empty())
    return runtime::failure("expected measurements of '", cell.str(),
                            "' and this template in the store, got none");
  made->keepKnown();
  return made;
}

/// Leaves of the list those that were measured.
void StoreMeasurer::keepKnown() {
  isListed.resize(schedules.fields.size());
  for (const ListedSchedule &listed : schedules.listed)
    for (auto [i, value] : llvm::enumerate(listed.schedule))
      isListed[i] = isListed[i] || value;
  llvm::erase_if(schedules.listed, [&](const ListedSchedule &listed) {
    auto isLike = [&](const auto &one) {
      return agrees(one.first, listed.schedule);
    };
    if (llvm::none_of(known, isLike))
      return true;
    auto completed = complete(listed.schedule);
    return !completed || !known.count(*completed);
  });
}

Expected<Schedule> StoreMeasurer::complete(const Schedule &schedule) {
  auto completed = completeSchedule(schedule);
  if (!completed || known.count(*completed))
    return completed;
  auto like = llvm::make_filter_range(known, [&](const auto &one) {
    for (size_t i = 0; i < schedule.size(); ++i)
      if (one.first[i] != (*completed)[i] && (schedule[i] || isListed[i]))
        return false;
    return true;
  });
  if (llvm::hasSingleElement(like))
    return like.begin()->first;
  return completed;
}

std::vector<Measurement>
StoreMeasurer::measure(llvm::ArrayRef<Schedule> asked) {
  std::vector<Measurement> result;
  for (const Schedule &schedule : asked) {
    auto found = known.find(schedule);
    result.push_back(found == known.end()
                         ? Measurement::drop("is not in the store")
                         : found->second);
    seconds += result.back().seconds;
  }
  return result;
}
