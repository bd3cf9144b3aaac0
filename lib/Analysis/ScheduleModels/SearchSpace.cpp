//===- SearchSpace.cpp - The schedules of a template ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/ScheduleModels/SearchSpace.h"

#include "llvm/ADT/STLExtras.h"

using namespace gnn;

std::vector<ListedSchedule> gnn::enumerateSchedules(tile::TileOpInterface op,
                                                    mlir::Attribute given) {
  std::vector<ListedSchedule> all;
  op.enumerateSchedules(
      given, [&](mlir::Attribute listed, const tile::LayoutFacts &facts) {
        auto values = mlir::cast<tile::ScheduleInterface>(listed).getValues();
        all.push_back({values.vec(), facts});
      });
  return all;
}

std::string SearchSpace::str(const Schedule &schedule) const {
  std::string text;
  for (auto [field, value] : llvm::zip_equal(fields, schedule))
    if (value)
      text += (text.empty() ? "" : ", ") + field.name.str() + " = " +
              field.str(value);
  return text;
}

bool gnn::agrees(const Schedule &complete, const Schedule &listed) {
  for (auto [value, wanted] : llvm::zip_equal(complete, listed))
    if (wanted && value != wanted)
      return false;
  return true;
}
