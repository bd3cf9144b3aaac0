//===- OverlayOptions.h - Options of programs of the overlay ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CAPI_OVERLAYOPTIONS_H
#define GNN_LIB_CAPI_OVERLAYOPTIONS_H

#include "GNN/Runtime/Error.h"

#include "llvm/ADT/StringRef.h"

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace gnn::capi {

/// Reads options as text: NAME=VALUE, with spaces between. A value in ' or "
/// may have spaces.
class OptionReader {
public:
  /// Reads a value by `read`, which gives what was expected in place of the
  /// text; "": it was.
  void add(llvm::StringRef name,
           std::function<std::string(llvm::StringRef)> read) {
    readers[name.str()] = std::move(read);
  }
  template <typename Number>
  void addNumber(llvm::StringRef name, Number &value, uint64_t least = 0,
                 uint64_t most = std::numeric_limits<uint64_t>::max()) {
    add(name, [&value, least, most](llvm::StringRef text) -> std::string {
      uint64_t number = 0;
      if (!text.getAsInteger(10, number) && least <= number && number <= most) {
        value = number;
        return "";
      }
      return "a number from " + std::to_string(least) + " to " +
             std::to_string(most);
    });
  }
  template <typename Bool> void addSwitch(llvm::StringRef name, Bool &value) {
    add(name, [&value](llvm::StringRef text) {
      bool isOn = text == "true" || text == "on";
      if (!isOn && text != "false" && text != "off")
        return "true or false";
      value = isOn;
      return "";
    });
  }
  template <typename Text> void addText(llvm::StringRef name, Text &value) {
    add(name, [&value](llvm::StringRef text) {
      value = text.str();
      return "";
    });
  }

  runtime::Error read(const char *options);

  /// The options that were there, with their values, by name.
  const std::map<std::string, std::string> &given() const { return values; }
  bool has(llvm::StringRef name) const { return values.count(name.str()); }

  /// An error where one of the options was there; `why` it may not.
  runtime::Error refuse(const std::vector<std::string> &names,
                        const std::string &why) const;

private:
  std::map<std::string, std::function<std::string(llvm::StringRef)>> readers;
  std::map<std::string, std::string> values;
};

} // namespace gnn::capi

#endif // GNN_LIB_CAPI_OVERLAYOPTIONS_H
