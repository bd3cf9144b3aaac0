//===- Chips.cpp - Chips that images are made for -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDA/Chips.h"

using namespace gnn::runtime;

namespace {
/// "sm_90", or "sm_90a", whose images run on no other chip.
struct Chip {
  static std::optional<Chip> parse(const std::string &name);

  int major, minor;
  bool isExact;
};
} // namespace

std::optional<Chip> Chip::parse(const std::string &name) {
  size_t digits = 3;
  while (digits < name.size() && name[digits] >= '0' && name[digits] <= '9')
    ++digits;
  if (name.rfind("sm_", 0) != 0 || digits < 5 || digits > 7)
    return std::nullopt;
  int number = std::stoi(name.substr(3, digits - 3));
  return Chip{number / 10, number % 10, digits < name.size()};
}

Error cuda::checkChip(const std::string &name, bool isPtx, int major,
                      int minor) {
  if (name.empty())
    return {};
  std::optional<Chip> chip = Chip::parse(name);
  if (!chip)
    return failure("expected kernels for a GPU such as sm_90, got '", name,
                   "'");
  bool fits = major == chip->major && minor >= chip->minor;
  if (isPtx)
    fits = major > chip->major || fits;
  if (chip->isExact)
    fits = major == chip->major && minor == chip->minor;
  if (fits)
    return {};
  return failure("expected a GPU of compute capability ", chip->major, ".",
                 chip->minor,
                 chip->isExact ? ""
                 : isPtx       ? " or more"
                               : " or more of that generation",
                 " (kernels for ", name, "), got ", major, ".", minor);
}

std::optional<int64_t> cuda::rankChip(const std::string &name, int major,
                                      int minor) {
  if (checkChip(name, /*isPtx=*/true, major, minor))
    return std::nullopt;
  std::optional<Chip> chip = Chip::parse(name);
  return chip ? 2 * (chip->major * 10 + chip->minor) + chip->isExact : 0;
}
