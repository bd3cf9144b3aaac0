//===- PtxEntries.cpp - The kernels of a PTX text -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDA/PtxEntries.h"

#include "Parallel.h"

#include <algorithm>
#include <string_view>

using namespace gnn::runtime;
using namespace gnn::runtime::cuda;

/// Bytes that are worth a module of their own: the driver takes milliseconds.
static constexpr size_t kBytesOfModule = size_t(1) << 13;

static bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

/// Takes a line with its end from the front of `text`.
static std::string_view takeLine(std::string_view &text) {
  size_t end = text.find('\n');
  size_t size = end == std::string_view::npos ? text.size() : end + 1;
  std::string_view line = text.substr(0, size);
  text.remove_prefix(size);
  return line;
}

/// Lines between kernels that say nothing to the driver.
static bool isEmpty(std::string_view line) {
  size_t first = line.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ||
         startsWith(line.substr(first), "//");
}

std::optional<PtxEntries> PtxEntries::split(const std::string &text) {
  constexpr std::string_view word = ".visible .entry ";
  PtxEntries result;
  size_t at = text.find("\n.address_size ");
  if (at == std::string::npos)
    return std::nullopt;
  std::string_view rest = std::string_view(text).substr(at + 1);
  takeLine(rest);
  result.header = text.substr(0, text.size() - rest.size());
  while (!rest.empty()) {
    std::string_view begin = rest, line = takeLine(rest);
    if (isEmpty(line))
      continue;
    if (startsWith(line, "\t.section\t") || startsWith(line, "\t.file\t")) {
      result.trailer += line; // of line tables
      continue;
    }
    size_t end = line.find('(');
    if (!startsWith(line, word) || end == std::string_view::npos)
      return std::nullopt;
    std::string name(line.substr(word.size(), end - word.size()));
    do
      if (rest.empty())
        return std::nullopt;
    while (!startsWith(takeLine(rest), "}"));
    std::string entry(begin.substr(0, begin.size() - rest.size()));
    if (!result.entries.emplace(std::move(name), std::move(entry)).second)
      return std::nullopt;
  }
  if (result.entries.empty())
    return std::nullopt;
  return result;
}

int64_t PtxEntries::numParameters(const std::string &name) const {
  constexpr std::string_view word = ".param ";
  std::string_view list = entries.at(name);
  list = list.substr(0, list.find(')'));
  int64_t count = 0;
  for (size_t at = 0; (at = list.find(word, at)) != std::string_view::npos;
       at += word.size())
    ++count;
  return count;
}

std::vector<std::vector<std::string>>
PtxEntries::group(const std::vector<std::string> &names, size_t count) const {
  std::vector<std::string> sorted = names;
  auto size = [&](const std::string &name) { return entries.at(name).size(); };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const std::string &a, const std::string &b) {
                     return size(a) > size(b);
                   });
  size_t bytes = 0;
  for (const std::string &name : names)
    bytes += size(name);
  count = std::min({count, names.size(), bytes / kBytesOfModule + 1});
  std::vector<std::vector<std::string>> groups(count);
  std::vector<size_t> sizes(count);
  for (const std::string &name : sorted) { // the largest first, to the least
    auto least = std::min_element(sizes.begin(), sizes.end());
    *least += size(name);
    groups[static_cast<size_t>(least - sizes.begin())].push_back(name);
  }
  return groups;
}

std::string PtxEntries::textOf(const std::vector<std::string> &names) const {
  std::string text = header;
  for (const std::string &name : names)
    text += entries.at(name);
  return text + trailer;
}

Error PtxModules::load(const std::vector<std::string> &names) {
  std::vector<std::string> missing;
  for (const std::string &name : names)
    if (entries.has(name) && !moduleOf.count(name) &&
        std::find(missing.begin(), missing.end(), name) == missing.end())
      missing.push_back(name);
  if (missing.empty())
    return {};
  auto groups = entries.group(missing, numThreads());
  std::vector<Expected<Module>> made(groups.size(), Error("not loaded"));
  forTasks(groups.size(), static_cast<unsigned>(groups.size()),
           [&](unsigned, size_t i) {
             made[i] = loadModule(entries.textOf(groups[i]));
           });
  Error first;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (!made[i]) {
      first = first ? first : made[i].takeError();
      continue;
    }
    modules.push_back(*made[i]);
    for (const std::string &name : groups[i])
      moduleOf[name] = *made[i];
  }
  return first;
}

Expected<Module> PtxModules::find(const std::string &name) {
  if (!entries.has(name))
    return failure("expected a kernel of the PTX");
  if (Error error = load({name}))
    return error;
  return moduleOf.at(name);
}
