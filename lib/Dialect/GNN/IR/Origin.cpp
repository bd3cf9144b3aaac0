//===- Origin.cpp - Which op of a model lower IR comes from ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/Origin.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;

void gnn::setOrigin(Operation *op) {
  op->setLoc(NameLoc::get(op->getName().getIdentifier(), op->getLoc()));
}

FileLineColLoc gnn::getPlace(Location location) {
  return location->findInstanceOf<FileLineColLoc>();
}

static void collect(Location location, SmallVectorImpl<Origin> &origins) {
  llvm::TypeSwitch<LocationAttr>(location)
      .Case([&](NameLoc named) {
        // Names of ops have a dialect; others are the user's.
        auto [dialect, op] = named.getName().getValue().split('.');
        if (op.empty())
          return collect(named.getChildLoc(), origins);
        Origin origin{op, getPlace(named.getChildLoc())};
        if (!llvm::is_contained(origins, origin))
          origins.push_back(origin);
      })
      .Case([&](FusedLoc fused) {
        for (Location part : fused.getLocations())
          collect(part, origins);
      });
}

SmallVector<Origin> gnn::getOrigins(Location location) {
  SmallVector<Origin> origins;
  collect(location, origins);
  return origins;
}

std::string gnn::describe(FileLineColLoc place) {
  if (!place)
    return "-";
  return (place.getFilename().getValue() + ":" + Twine(place.getLine()) + ":" +
          Twine(place.getColumn()))
      .str();
}

std::string gnn::describe(const Origin &origin) {
  std::string text = origin.op.str();
  return origin.place ? text + " at " + describe(origin.place) : text;
}

std::string gnn::describeOrigins(Operation *op) {
  SmallVector<Origin> origins = getOrigins(op->getLoc());
  if (origins.empty())
    origins.push_back({op->getName().stripDialect(), getPlace(op->getLoc())});
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(origins, os,
                        [&](const Origin &origin) { os << describe(origin); });
  return text;
}
