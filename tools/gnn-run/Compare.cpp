//===- Compare.cpp - A function compiled in two ways ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace gnn;
using namespace gnn::run;

/// Times that each side is run where there are times, in turns, so that what
/// else the machine does meets both.
static constexpr int rounds = 9;

runtime::Error gnn::run::addOption(CompileOptions &options,
                                   const std::string &text) {
  auto [name, value] = StringRef(text).split('=');
  if (value.empty() ||
      !is_contained({"passes", "stage-passes", "schedules", "stop-at"}, name))
    return runtime::failure("expected passes=, stage-passes=, schedules= or "
                            "stop-at= with a value, got '",
                            text, "'");
  if (name == "passes") {
    options.passes += (options.passes.empty() ? "" : " ") + value.str();
    return {};
  }
  if ((name == "schedules" && value == options.schedules) ||
      (name == "stop-at" && value == options.stopAt))
    return runtime::failure("expected another value than the first function "
                            "is compiled with, got '",
                            text, "'");
  cantFail(options.set(name, value)); // a text
  return {};
}

namespace {
/// What all runs of one side have measured.
struct Measured {
  Results last;
  /// By launch; none where the device has no times.
  std::vector<std::vector<double>> times;
  std::vector<double> sums;

  runtime::Error run(const ComparedFunction &side, runtime::Device &device,
                     const std::vector<std::string> &inputs);
  bool hasTimes() const { return !sums.empty(); }
};

/// A row of the table: one launch, as far as each side has it.
struct Row {
  std::string kernel;
  std::optional<size_t> without, with;
};
} // namespace

runtime::Error Measured::run(const ComparedFunction &side,
                             runtime::Device &device,
                             const std::vector<std::string> &inputs) {
  auto results = execute(side.function, device, inputs, /*profile=*/true);
  if (!results)
    return results.takeError();
  last = std::move(*results);
  times.resize(last.report.steps.size());
  double sum = 0;
  bool isTimed = false;
  for (auto [step, known] : llvm::zip_equal(last.report.steps, times))
    if (step.milliseconds) {
      isTimed = true;
      sum += *step.milliseconds;
      known.push_back(*step.milliseconds);
    }
  if (isTimed)
    sums.push_back(sum);
  return {};
}

static double medianOf(std::vector<double> values) {
  llvm::sort(values);
  return values[values.size() / 2];
}

/// Launches of one name, each with that of the other side; then those that the
/// second side alone has.
static std::vector<Row> pairLaunches(const runtime::Report &without,
                                     const runtime::Report &with) {
  std::vector<Row> rows;
  std::vector<bool> isPaired(with.steps.size());
  for (auto [i, step] : llvm::enumerate(without.steps)) {
    Row row{step.kernel, i, std::nullopt};
    for (auto [j, other] : llvm::enumerate(with.steps))
      if (!isPaired[j] && !row.with && other.kernel == step.kernel)
        row.with = j;
    if (row.with)
      isPaired[*row.with] = true;
    rows.push_back(std::move(row));
  }
  for (auto [j, other] : llvm::enumerate(with.steps))
    if (!isPaired[j])
      rows.push_back({other.kernel, std::nullopt, j});
  return rows;
}

static std::string sizeText(const std::array<int64_t, 3> &size) {
  return std::to_string(size[0] * size[1] * size[2]);
}

/// "without -> with", or one where both are the same.
static std::string change(const std::string &without, const std::string &with) {
  return without == with ? without : without + " -> " + with;
}

/// How much longer the second side took than the first, in each round.
static std::vector<double> ratiosOf(const std::vector<double> &without,
                                    const std::vector<double> &with) {
  std::vector<double> ratios;
  for (auto [before, after] : llvm::zip(without, with))
    if (before > 0)
      ratios.push_back(after / before);
  return ratios;
}

/// The medians of all rounds, and the least and the largest of their ratios.
static std::string timesText(const std::vector<double> &without,
                             const std::vector<double> &with) {
  auto one = [](const std::vector<double> &times) {
    return times.empty() ? "-" : formatv("{0:f4}", medianOf(times)).str();
  };
  std::string ratio = "-", spread = "-";
  std::vector<double> ratios = ratiosOf(without, with);
  if (!ratios.empty()) {
    auto [least, largest] = std::minmax_element(ratios.begin(), ratios.end());
    ratio = formatv("{0:f2}", medianOf(ratios));
    spread = formatv("{0:f2} .. {1:f2}", *least, *largest);
  }
  return formatv("  {0,10}  {1,10}  {2,6}  {3,14}", one(without), one(with),
                 ratio, spread);
}

static void printTable(const Measured &without, const Measured &with) {
  bool isTimed = without.hasTimes() || with.hasTimes();
  outs() << formatv("{0,-40}", "launch");
  if (isTimed)
    outs() << formatv("  {0,10}  {1,10}  {2,6}  {3,14}", "ms without",
                      "ms with", "ratio", "least, largest");
  outs() << "  blocks, threads, registers\n";
  for (const Row &row : pairLaunches(without.last.report, with.last.report)) {
    auto describe = [&](const Measured &side, std::optional<size_t> i,
                        auto text) -> std::string {
      return i ? text(side.last.report.steps[*i]) : "-";
    };
    auto both = [&](auto text) {
      return change(describe(without, row.without, text),
                    describe(with, row.with, text));
    };
    outs() << formatv("{0,-40}", row.kernel);
    if (isTimed)
      outs() << timesText(
          row.without ? without.times[*row.without] : std::vector<double>(),
          row.with ? with.times[*row.with] : std::vector<double>());
    outs() << "  " << both([](const runtime::StepReport &step) {
      return sizeText(step.grid);
    }) << ", "
           << both([](const runtime::StepReport &step) {
                return sizeText(step.block);
              })
           << ", " << both([](const runtime::StepReport &step) {
                int64_t registers = step.kernelInfo.registers;
                return registers < 0 ? "-" : std::to_string(registers);
              })
           << "\n";
  }
  if (isTimed)
    outs() << formatv("{0,-40}", "all") << timesText(without.sums, with.sums)
           << "\n";
}

/// The kernels of a side, each once.
static SetVector<StringRef> kernelsOf(const Measured &side) {
  SetVector<StringRef> kernels;
  for (const runtime::StepReport &step : side.last.report.steps)
    kernels.insert(step.code);
  return kernels;
}

/// How many kernels there are, and the names of those that one side alone has.
static void printKernelNames(const Measured &without, const Measured &with) {
  SetVector<StringRef> before = kernelsOf(without), after = kernelsOf(with);
  outs() << "kernels: "
         << change(std::to_string(before.size()), std::to_string(after.size()));
  auto printRest = [](StringRef side, const SetVector<StringRef> &all,
                      const SetVector<StringRef> &others) {
    SetVector<StringRef> rest = all;
    rest.set_subtract(others);
    if (!rest.empty())
      outs() << ", " << side << " " << llvm::join(rest, " ");
  };
  printRest("gone", before, after);
  printRest("new", after, before);
  outs() << "\n";
}

/// The size of the PTX, where both sides have some.
static void printPtx(const runtime::Package &without,
                     const runtime::Package &with) {
  auto before = without.images().find("ptx"), after = with.images().find("ptx");
  if (before == without.images().end() || after == with.images().end())
    return;
  outs() << "PTX: "
         << change(std::to_string(before->second.size()),
                   std::to_string(after->second.size()))
         << " bytes" << (before->second == after->second ? ", the same" : "")
         << "\n";
}

/// The fields of a schedule, "lanes = 8, tiles = [2, 4]".
static MapVector<StringRef, StringRef> fieldsOf(StringRef schedule) {
  MapVector<StringRef, StringRef> fields;
  while (!schedule.empty()) {
    size_t depth = 0;
    size_t end = schedule.find_if([&](char c) {
      depth += StringRef("[{<(").contains(c);
      depth -= StringRef("]}>)").contains(c);
      return c == ',' && depth == 0;
    });
    auto [name, value] = schedule.take_front(end).split('=');
    fields[name.trim()] = value.trim();
    schedule = schedule.drop_front(std::min(end, schedule.size()));
    schedule.consume_front(",");
  }
  return fields;
}

/// The fields that differ of the schedules of a launch that both sides have.
static void printSchedules(const Measured &without, const Measured &with) {
  for (const Row &row : pairLaunches(without.last.report, with.last.report)) {
    if (!row.without || !row.with)
      continue;
    auto before = fieldsOf(without.last.report.steps[*row.without].schedule),
         after = fieldsOf(with.last.report.steps[*row.with].schedule);
    if (before.empty() || after.empty()) // not of a plan, or not by a schedule
      continue;
    for (auto &[name, value] : before)
      after.try_emplace(name, "-");
    std::string text;
    for (auto &[name, value] : after) {
      auto found = before.find(name);
      StringRef first = found == before.end() ? "-" : found->second;
      if (first != value)
        text += formatv("{0} {1} = {2}", text.empty() ? "" : ",", name,
                        change(first.str(), value.str()));
    }
    if (!text.empty())
      outs() << "schedule of " << row.kernel << ":" << text << "\n";
  }
}

/// How far outputs of floats are apart, or whether others are the same.
static void printDifference(const runtime::TensorInfo &info,
                            const std::string &without,
                            const std::string &with) {
  outs() << info.name << ": ";
  if (without == with) {
    outs() << "the same bits\n";
    return;
  }
  if (info.dtype != runtime::DataType::F32) {
    outs() << "not the same\n";
    return;
  }
  auto *x = reinterpret_cast<const float *>(without.data());
  auto *y = reinterpret_cast<const float *>(with.data());
  double most = 0, largest = 0;
  for (int64_t i = 0; i < info.bytes / 4; ++i) {
    double apart = std::abs(double(x[i]) - y[i]);
    most = std::isnan(apart) || std::isnan(most) ? NAN : std::max(most, apart);
    largest = std::max(largest, std::abs(double(x[i])));
  }
  outs() << format("apart by up to %.3g, where the largest is %.3g\n", most,
                   largest);
}

runtime::Error gnn::run::compare(const ComparedFunction &without,
                                 const ComparedFunction &with,
                                 runtime::Device &device,
                                 const std::vector<std::string> &inputs) {
  Measured measured[2];
  for (int round = 0; round < rounds; ++round) {
    if (runtime::Error error = measured[0].run(without, device, inputs))
      return error;
    if (runtime::Error error = measured[1].run(with, device, inputs))
      return error;
    if (!measured[0].hasTimes()) // the next round says the same
      break;
  }
  without.complete(measured[0].last.report);
  with.complete(measured[1].last.report);
  printTable(measured[0], measured[1]);
  printKernelNames(measured[0], measured[1]);
  printPtx(without.package, with.package);
  printSchedules(measured[0], measured[1]);
  std::vector<runtime::TensorInfo> infos = without.function.outputs();
  if (infos.size() != with.function.outputs().size())
    return runtime::failure("--compare: expected the same outputs, got ",
                            infos.size(), " and ",
                            with.function.outputs().size());
  for (auto [info, x, y] : llvm::zip_equal(infos, measured[0].last.outputs,
                                           measured[1].last.outputs))
    printDifference(info, x, y);
  return {};
}
