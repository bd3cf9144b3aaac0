//===- ExplainLayout.cpp - Where kernels and ops are drawn ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers by depth; long edges bend in every layer between, so that they run
// beside boxes; each layer sorted by where its neighbours are, and moved there.
//
//===----------------------------------------------------------------------===//

#include "ExplainLayout.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

using namespace gnn;

static constexpr int gap = 20, layerGap = 44, margin = 12, padding = 8,
                     innerGap = 12, bendWidth = 10, charWidth = 7,
                     leastWidth = 130, mostWidth = 300;
/// Two pictures fit side by side on a screen of 1,280 pixels.
static constexpr int mostRowWidth = 570;
/// Beside the ops of a kernel, for edges that pass some of them.
static constexpr int laneWidth = 12;

std::string gnn::shortened(const std::string &text, size_t size) {
  if (text.size() <= size)
    return text;
  // Not within a character of several bytes.
  size_t end = size - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  return text.substr(0, end) + "\u2026";
}

static int widthOf(size_t characters) {
  return std::clamp(static_cast<int>(characters) * charWidth + 2 * padding,
                    leastWidth, mostWidth);
}

ExplainLayout::ExplainLayout(const ExplainedFunction &function)
    : nodes(function.nodes.size()), kernels(function.kernels.size()),
      function(function), unitOfNode(function.nodes.size(), -1) {
  writeLabels();
  makeUnits();
  makeRoutes();
  assignLayers();
  bendRoutes();
  sortLayers();
  placeUnits();
  placeNodes();
  drawEdges();
}

/// An op with the weights that it reads, and the type of its result.
void ExplainLayout::writeLabels() {
  for (const ExplainedNode &node : function.nodes) {
    std::string label = node.label;
    bool isFirst = true;
    for (unsigned operand : node.operands)
      if (function.nodes[operand].isWeight) {
        label += (isFirst ? " \u00b7 " : ", ") + function.nodes[operand].label;
        isFirst = false;
      }
    labels.push_back(label);
    types.push_back(node.type);
  }
}

void ExplainLayout::makeUnits() {
  auto nodeWidth = [&](unsigned node) {
    return widthOf(std::max(labels[node].size(), types[node].size()));
  };
  std::vector<bool> isInKernel(nodes.size());
  for (const ExplainedKernel &kernel : function.kernels)
    for (unsigned node : kernel.nodes)
      isInKernel[node] = true;
  auto addNodes = [&](bool beforeKernels) {
    for (auto [i, node] : llvm::enumerate(function.nodes)) {
      bool isArgument = node.kind == ExplainedNode::Kind::Argument;
      if (isInKernel[i] || node.isWeight || isArgument != beforeKernels)
        continue;
      Unit &unit = units.emplace_back();
      unit.node = i;
      unit.box.width = nodeWidth(i);
      unit.box.height = nodeHeight;
      unitOfNode[i] = units.size() - 1;
    }
  };
  addNodes(true);
  for (auto [i, kernel] : llvm::enumerate(function.kernels)) {
    Unit &unit = units.emplace_back();
    unit.kernel = i;
    unit.box.width = widthOf(kernel.names.front().size() + 2 +
                             (kernel.names.size() > 1 ? 13 : 0));
    unit.box.height = headHeight + padding;
    for (unsigned node : kernel.nodes) {
      unit.box.width = std::max(unit.box.width, nodeWidth(node) + 2 * padding);
      unit.box.height += nodeHeight + innerGap;
      unitOfNode[node] = units.size() - 1;
    }
    unit.box.height -= kernel.nodes.empty() ? padding : innerGap - padding;
    unit.box.width += laneWidth;
  }
  addNodes(false);
}

void ExplainLayout::makeRoutes() {
  for (auto [i, node] : llvm::enumerate(function.nodes))
    for (unsigned operand : node.operands) {
      int from = unitOfNode[operand], to = unitOfNode[i];
      if (from < 0 || to < 0)
        continue;
      if (from == to) {
        innerEdges.emplace_back(operand, i);
        continue;
      }
      auto isSame = [&](const Route &route) {
        return route.from == static_cast<unsigned>(from) &&
               route.to == static_cast<unsigned>(to);
      };
      auto known = llvm::find_if(routes, isSame);
      if (known == routes.end())
        known = routes.insert(
            routes.end(),
            {static_cast<unsigned>(from), static_cast<unsigned>(to), {}, {}});
      if (!llvm::is_contained(known->values, operand))
        known->values.push_back(operand);
    }
  llvm::sort(innerEdges);
  innerEdges.erase(llvm::unique(innerEdges), innerEdges.end());
}

/// Below all that it reads; an argument right above its first reader. Units are
/// in the order in which they are computed; an edge against it, between kernels
/// of several launches, moves nothing.
void ExplainLayout::assignLayers() {
  for (unsigned to = 0; to < units.size(); ++to)
    for (const Route &route : routes)
      if (route.to == to && route.from < to)
        units[to].layer =
            std::max(units[to].layer, units[route.from].layer + 1);
  for (unsigned from = 0; from < units.size(); ++from) {
    int node = units[from].node;
    if (node < 0 || function.nodes[node].kind != ExplainedNode::Kind::Argument)
      continue;
    unsigned first = ~0u;
    for (const Route &route : routes)
      if (route.from == from)
        first = std::min(first, units[route.to].layer - 1);
    units[from].layer = first == ~0u ? 0 : first;
  }
}

void ExplainLayout::bendRoutes() {
  for (Route &route : routes) {
    unsigned above = route.from;
    auto connect = [&](unsigned unit) {
      units[above].below.push_back(unit);
      units[unit].above.push_back(above);
      above = unit;
    };
    for (unsigned layer = units[route.from].layer + 1;
         layer < units[route.to].layer; ++layer) {
      Unit &bend = units.emplace_back();
      bend.layer = layer;
      bend.box.width = bendWidth;
      route.bends.push_back(units.size() - 1);
      connect(units.size() - 1);
    }
    if (units[route.from].layer < units[route.to].layer)
      connect(route.to);
  }
  for (auto [i, unit] : llvm::enumerate(units)) {
    if (unit.layer >= layers.size())
      layers.resize(unit.layer + 1);
    layers[unit.layer].push_back(i);
  }
}

/// Down by what units read, and up by what reads them, until little changes.
void ExplainLayout::sortLayers() {
  std::vector<double> positions(units.size());
  auto number = [&](const std::vector<unsigned> &layer) {
    for (auto [i, unit] : llvm::enumerate(layer))
      positions[unit] = (i + 0.5) / layer.size();
  };
  auto sort = [&](std::vector<unsigned> &layer,
                  std::vector<unsigned> Unit::*neighbours) {
    std::vector<std::tuple<double, size_t, unsigned>> keys;
    for (unsigned unit : layer) {
      double sum = 0;
      for (unsigned neighbour : units[unit].*neighbours)
        sum += positions[neighbour];
      size_t count = (units[unit].*neighbours).size();
      keys.emplace_back(count ? sum / count : positions[unit], keys.size(),
                        unit);
    }
    llvm::sort(keys);
    for (auto [place, key] : llvm::zip_equal(layer, keys))
      place = std::get<2>(key);
    number(layer);
  };
  llvm::for_each(layers, number);
  for (int round = 0; round < 4; ++round) {
    for (std::vector<unsigned> &layer : layers)
      sort(layer, &Unit::above);
    for (std::vector<unsigned> &layer : llvm::reverse(layers))
      sort(layer, &Unit::below);
  }
}

void ExplainLayout::placeUnits() {
  // A layer that is too wide becomes several rows.
  std::vector<std::vector<unsigned>> rows;
  int y = margin;
  for (const std::vector<unsigned> &layer : layers) {
    int used = 0, bottom = y;
    rows.emplace_back();
    for (unsigned unit : layer) {
      Box &box = units[unit].box;
      if (used > 0 && used + box.width > mostRowWidth) {
        y = bottom + gap;
        used = 0;
        rows.emplace_back();
      }
      box.x = used;
      box.y = y;
      used += box.width + gap;
      bottom = std::max(bottom, box.getBottom());
      rows.back().push_back(unit);
    }
    for (unsigned unit : layer)
      if (units[unit].kernel < 0 && units[unit].node < 0)
        units[unit].box.height = bottom - units[unit].box.y;
    height = bottom + margin;
    y = bottom + layerGap;
  }
  // Each unit moves to the middle of its neighbours as far as there is room:
  // half way between pushing others to the right and pushing them to the left.
  auto move = [&](const std::vector<unsigned> &row,
                  std::vector<unsigned> Unit::*neighbours) {
    std::vector<int> wanted;
    for (unsigned unit : row) {
      const std::vector<unsigned> &near = units[unit].*neighbours;
      const Box &box = units[unit].box;
      int sum = 0, count = static_cast<int>(near.size());
      for (unsigned neighbour : near)
        sum += units[neighbour].box.getCenter();
      wanted.push_back(count ? sum / count - box.width / 2 : box.x);
    }
    auto stepOf = [&](size_t i) { return units[row[i]].box.width + gap; };
    auto pushRight = [&](std::vector<int> &places) {
      for (size_t i = 0; i < row.size(); ++i)
        places[i] =
            std::max(places[i], i == 0 ? 0 : places[i - 1] + stepOf(i - 1));
    };
    auto pushLeft = [&](std::vector<int> &places) {
      for (size_t i = row.size(); i-- > 0;)
        places[i] =
            std::min(places[i], (i + 1 == row.size() ? mostRowWidth + gap
                                                     : places[i + 1]) -
                                    stepOf(i));
    };
    std::vector<int> right = wanted, left = wanted;
    pushRight(right);
    pushLeft(right);
    pushLeft(left);
    pushRight(left);
    for (auto [i, unit] : llvm::enumerate(row))
      units[unit].box.x = (right[i] + left[i]) / 2;
  };
  for (int round = 0; round < 8; ++round) {
    for (const std::vector<unsigned> &row : rows)
      move(row, &Unit::above);
    for (const std::vector<unsigned> &row : llvm::reverse(rows))
      move(row, &Unit::below);
  }
  int first = mostRowWidth, last = 0;
  for (const Unit &unit : units) {
    first = std::min(first, unit.box.x);
    last = std::max(last, unit.box.x + unit.box.width);
  }
  for (Unit &unit : units)
    unit.box.x += margin - first;
  width = last - first + 2 * margin;
}

void ExplainLayout::placeNodes() {
  for (const Unit &unit : units) {
    if (unit.node >= 0)
      nodes[unit.node] = unit.box;
    if (unit.kernel < 0)
      continue;
    kernels[unit.kernel] = unit.box;
    int y = unit.box.y + headHeight + padding;
    for (unsigned node : function.kernels[unit.kernel].nodes) {
      nodes[node] = {unit.box.x + padding + laneWidth, y,
                     unit.box.width - 2 * padding - laneWidth, nodeHeight};
      y += nodeHeight + innerGap;
    }
  }
}

/// Edges leave and reach a box beside each other, in the order of where they
/// come from and go to.
void ExplainLayout::drawEdges() {
  auto nextTo = [&](const Route &route, bool isEnd) {
    if (!route.bends.empty())
      return isEnd ? route.bends.back() : route.bends.front();
    return isEnd ? route.from : route.to;
  };
  auto place = [&](unsigned number, bool isEnd) {
    const Route &route = routes[number];
    unsigned unit = isEnd ? route.to : route.from;
    int mine = units[nextTo(route, isEnd)].box.getCenter(), before = 0, all = 0;
    for (auto [i, other] : llvm::enumerate(routes)) {
      if ((isEnd ? other.to : other.from) != unit)
        continue;
      ++all;
      int its = units[nextTo(other, isEnd)].box.getCenter();
      before +=
          std::pair(its, static_cast<unsigned>(i)) < std::pair(mine, number);
    }
    const Box &box = units[unit].box;
    return box.x + box.width * (before + 1) / (all + 1);
  };
  for (auto [i, route] : llvm::enumerate(routes)) {
    Edge edge{route.values, {}};
    edge.points.push_back({place(i, false), units[route.from].box.getBottom()});
    for (unsigned bend : route.bends) {
      const Box &box = units[bend].box;
      edge.points.push_back({box.getCenter(), box.y});
      edge.points.push_back({box.getCenter(), box.getBottom()});
    }
    edge.points.push_back({place(i, true), units[route.to].box.y});
    edges.push_back(std::move(edge));
  }
}
