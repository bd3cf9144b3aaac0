//===- Report.cpp - Reports as JSON and as text ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Overlay/Report.h"

#include "GNN/Overlay/Words.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

using namespace gnn::overlay;

#define GNN_OVERLAY_ADD(name) +name
#define GNN_OVERLAY_ADD_OTHER(name) name += other.name;

uint64_t TrafficBytes::total() const {
  return 0 GNN_OVERLAY_ALL_TRAFFIC(GNN_OVERLAY_ADD);
}

TrafficBytes &TrafficBytes::operator+=(const TrafficBytes &other) {
  GNN_OVERLAY_ALL_TRAFFIC(GNN_OVERLAY_ADD_OTHER)
  return *this;
}

uint64_t KernelCycles::total() const {
  return 0 GNN_OVERLAY_ALL_KERNELS(GNN_OVERLAY_ADD);
}

KernelCycles &KernelCycles::operator+=(const KernelCycles &other) {
  GNN_OVERLAY_ALL_KERNELS(GNN_OVERLAY_ADD_OTHER)
  return *this;
}

const char *gnn::overlay::nameOf(MemoryModel model) {
  return model == MemoryModel::Ideal ? "ideal" : "shared";
}

const char *gnn::overlay::nameOf(NetworkModel model) {
  switch (model) {
  case NetworkModel::Ideal:
    return "ideal";
  case NetworkModel::Banks:
    return "banks";
  case NetworkModel::Network:
    return "network";
  }
  return "?";
}

uint64_t Report::cycles() const {
  uint64_t sum = 0;
  for (const LayerReport &layer : layers)
    sum += layer.cycles;
  return sum;
}

TrafficBytes Report::bytes() const {
  TrafficBytes sum;
  for (const LayerReport &layer : layers)
    sum += layer.bytes;
  return sum;
}

double Report::seconds() const {
  return static_cast<double>(cycles()) / static_cast<double>(options.frequency);
}

double Report::transferSeconds(uint64_t bytes) const {
  return static_cast<double>(bytes) /
         static_cast<double>(options.hostBandwidth);
}

double Report::partSeconds() const {
  if (parts.empty())
    return 0;
  auto send = [&](size_t part) { return transferSeconds(parts[part].bytesIn); };
  double link = send(0); // when the link is free
  double ready = link;   // when the operands of the next part are there
  double ended = 0;
  for (size_t part = 0; part < parts.size(); ++part) {
    double began = std::max(ready, ended);
    ended = began + static_cast<double>(parts[part].cycles) /
                        static_cast<double>(options.frequency);
    bool hasNext = part + 1 < parts.size();
    bool waits = hasNext && parts[part + 1].waits;
    if (hasNext && !waits)
      ready = link = std::max(link, began) + send(part + 1);
    link = std::max(link, ended) + transferSeconds(parts[part].bytesOut);
    if (waits)
      ready = link = link + send(part + 1);
  }
  return link;
}

/// What the model leaves out, for whoever reads its numbers.
static const char *const leftOut[] = {
    "rows, banks and refresh of the DRAM",
    "placement across SLRs: each channel reaches all data",
    "fetch of instructions beyond its bytes",
    "the clock, and the resources of the device"};

using Json = nlohmann::ordered_json;

static Json toJson(const TrafficBytes &bytes) {
  Json json;
#define GNN_OVERLAY_FIELD_OF_JSON(name) json[#name] = bytes.name;
  GNN_OVERLAY_ALL_TRAFFIC(GNN_OVERLAY_FIELD_OF_JSON)
#undef GNN_OVERLAY_FIELD_OF_JSON
  json["total"] = bytes.total();
  return json;
}

static Json toJson(const KernelCycles &kernels) {
  Json json;
#define GNN_OVERLAY_FIELD_OF_JSON(name) json[#name] = kernels.name;
  GNN_OVERLAY_ALL_KERNELS(GNN_OVERLAY_FIELD_OF_JSON)
#undef GNN_OVERLAY_FIELD_OF_JSON
  return json;
}

static Json toJson(const LayerReport &layer) {
  Json json;
  json["name"] = layer.name;
  json["type"] = toWord(layer.type);
  json["in"] = layer.in;
  json["out"] = layer.out;
  json["tiles"] = layer.tiles;
  json["cycles"] = layer.cycles;
  json["kernels"] = toJson(layer.kernels);
  json["bytes"] = toJson(layer.bytes);
  json["elements"] = Json::array();
  for (const ElementCycles &element : layer.elements)
    json["elements"].push_back({{"tiles", element.tiles},
                                {"busy", element.busy},
                                {"waiting", element.waiting},
                                {"idle", element.idle},
                                {"locked", element.locked}});
  return json;
}

std::string Report::json() const {
  Json json;
  json["kind"] = "simulated";
  json["cycles"] = cycles();
  json["seconds"] = seconds();
  json["vertices"] = vertices;
  json["edges"] = edges;
  json["n1"] = n1;
  json["n2"] = n2;
  json["instruction_bytes"] = instructionBytes;
  json["unpadded_bytes"] = unpaddedBytes;
  json["padded_bytes"] = paddedBytes;
  json["all_bytes"] = allBytes;
  json["transfer_seconds"] = transferSeconds(unpaddedBytes);
  json["transfer_seconds_of_all"] = transferSeconds(allBytes);
  Json &given = json["options"];
  given["memory"] = nameOf(options.memory);
  given["network"] = nameOf(options.network);
  given["overlap"] = options.overlap;
  given["multicast"] = options.multicast;
  given["overheads"] = options.hasOverheads;
#define GNN_OVERLAY_TIMING(name, keyword, value, summary)                      \
  given[keyword] = options.name;
#include "GNN/Overlay/TimingOptions.def"
  Json &hardware = json["parameters"];
#define GNN_OVERLAY_PARAMETER(name, keyword, value, summary)                   \
  hardware[keyword] = parameters.name;
#include "GNN/Overlay/Parameters.def"
  json["bytes"] = toJson(bytes());
  if (!parts.empty()) {
    json["seconds_with_transfers"] = partSeconds();
    for (const PartReport &part : parts)
      json["parts"].push_back({{"cycles", part.cycles},
                               {"bytes_in", part.bytesIn},
                               {"bytes_out", part.bytesOut},
                               {"waits", part.waits}});
  }
  json["layers"] = Json::array();
  for (const LayerReport &layer : layers)
    json["layers"].push_back(toJson(layer));
  json["not_modelled"] = leftOut;
  // Names come from files, which may hold anything.
  return json.dump(2, ' ', true, Json::error_handler_t::replace);
}

static std::string format(const char *pattern, ...)
    __attribute__((format(printf, 1, 2)));
static std::string format(const char *pattern, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(line, sizeof line, pattern, arguments);
  va_end(arguments);
  return line;
}

using ull = unsigned long long;

static std::string textOf(const LayerReport &layer) {
  std::string text =
      format("%-20.20s %-12s %6llu -> %-6llu %8llu tiles %14llu cycles %14llu "
             "bytes\n",
             gnn::runtime::onOneLine(layer.name).c_str(), toWord(layer.type),
             ull(layer.in), ull(layer.out), ull(layer.tiles), ull(layer.cycles),
             ull(layer.bytes.total()));
  for (size_t pe = 0; pe < layer.elements.size(); ++pe) {
    const ElementCycles &element = layer.elements[pe];
    text +=
        format("  element %-4zu %8llu tiles %14llu busy %14llu waiting "
               "%14llu idle %14llu locked\n",
               pe, ull(element.tiles), ull(element.busy), ull(element.waiting),
               ull(element.idle), ull(element.locked));
  }
  return text;
}

std::string Report::text() const {
  std::string text =
      format("simulated: %llu cycles, %.6g ms at %g MHz; memory %s, network "
             "%s%s%s\n",
             ull(cycles()), seconds() * 1e3, double(options.frequency) / 1e6,
             nameOf(options.memory), nameOf(options.network),
             options.overlap ? "" : ", no overlap",
             options.multicast ? ", multicast" : "");
  text +=
      format("%llu vertices and %llu edges in blocks of %llu rows, fibers "
             "of %llu columns, on %llu elements\n",
             ull(vertices), ull(edges), ull(n1), ull(n2), ull(parameters.pes));
  text += format("%llu bytes of instructions\n", ull(instructionBytes));
  text +=
      format("inputs: %llu bytes in %.6g ms; padded %llu; with weights and "
             "instructions %llu in %.6g ms\n\n",
             ull(unpaddedBytes), transferSeconds(unpaddedBytes) * 1e3,
             ull(paddedBytes), ull(allBytes), transferSeconds(allBytes) * 1e3);
  for (size_t i = 0; i < parts.size(); ++i)
    text += format("part %-6zu %14llu cycles %14llu bytes in %14llu out%s\n", i,
                   ull(parts[i].cycles), ull(parts[i].bytesIn),
                   ull(parts[i].bytesOut),
                   parts[i].waits ? ", after the part before" : "");
  if (!parts.empty())
    text +=
        format("parts with their transfers: %.6g ms\n\n", partSeconds() * 1e3);
  for (const LayerReport &layer : layers)
    text += textOf(layer);
  TrafficBytes all = bytes();
  text +=
      format("\nbytes: %llu weights, %llu edges, %llu features, %llu "
             "stored features, %llu stored edges, %llu descriptors, %llu "
             "parameters, %llu instructions\n",
             ull(all.weights), ull(all.edges), ull(all.features),
             ull(all.storedFeatures), ull(all.storedEdges),
             ull(all.descriptors), ull(all.parameters), ull(all.instructions));
  text += "not modelled:";
  const char *separator = " ";
  for (const char *what : leftOut) {
    text += separator + std::string(what);
    separator = "; ";
  }
  return text + "\n";
}
