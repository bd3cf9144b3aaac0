//===- Replay.cpp - Runs a fuzzer's entry over files ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Takes files and folders of inputs. Stands in for libFuzzer where the corpus
// is only to be replayed. With -v first, prints the name of each before it is
// run, to find one that crashes. With -edits=N, runs N mutations of each too,
// by the fuzzer's own mutator and always the same; -v numbers them.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t capacity, unsigned seed)
    __attribute__((weak));

/// The functions that a fuzzer of plans ran, or the graphs that one of
/// manifests made.
extern "C" size_t numRuns __attribute__((weak));

/// Runs mutations, each of the input.
static void replayEdits(const std::vector<uint8_t> &input, unsigned edits,
                        bool verbose) {
  for (unsigned seed = 0; seed < edits; ++seed) {
    std::vector<uint8_t> bytes = input;
    size_t size = bytes.size();
    bytes.resize(2 * size + 1024);
    bytes.resize(
        LLVMFuzzerCustomMutator(bytes.data(), size, bytes.size(), seed));
    if (verbose)
      std::fprintf(stderr, "edit %u\n", seed);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
}

static void replay(const std::filesystem::path &path, unsigned edits,
                   bool verbose) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (verbose)
    std::fprintf(stderr, "%s\n", path.c_str());
  std::vector<uint8_t> input(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(input.data(), input.size());
  if (LLVMFuzzerCustomMutator)
    replayEdits(input, edits, verbose);
}

int main(int argc, char **argv) {
  size_t count = 0;
  bool verbose = false;
  unsigned edits = 0;
  for (int i = 1; i < argc; ++i) {
    if (argv[i] == std::string("-v")) {
      verbose = true;
      continue;
    }
    if (std::sscanf(argv[i], "-edits=%u", &edits) == 1)
      continue;
    std::vector<std::filesystem::path> paths;
    if (std::filesystem::is_directory(argv[i]))
      for (const auto &entry : std::filesystem::directory_iterator(argv[i]))
        paths.push_back(entry.path());
    else
      paths.push_back(argv[i]);
    for (const auto &path : paths)
      replay(path, edits, verbose);
    count += paths.size();
  }
  if (count == 0) {
    std::fprintf(stderr, "expected inputs to replay, got none\n");
    return 1;
  }
  std::printf("replayed %zu inputs\n", count);
  if (&numRuns)
    std::printf("ran %zu\n", numRuns);
  return 0;
}
