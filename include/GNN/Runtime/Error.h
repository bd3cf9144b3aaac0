//===- Error.h - Errors as values -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_ERROR_H
#define GNN_RUNTIME_ERROR_H

#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace gnn::runtime {

/// `text` on one line: names of a caller or a file may hold anything.
inline std::string onOneLine(const std::string &text) {
  std::string line;
  for (char c : text) {
    auto code = static_cast<unsigned char>(c);
    if (code >= 0x20 && code != 0x7f) {
      line += c;
      continue;
    }
    const char *digits = "0123456789abcdef";
    line += c == '\n'
                ? std::string("\\n")
                : std::string("\\x") + digits[code / 16] + digits[code % 16];
  }
  return line;
}

/// The kinds of failures, for callers that distinguish them: GnnErrorKind of
/// the C API, with the same numbers.
enum class ErrorKind {
  Other,
  Option,
  Program,
  EdgeTypes,
  NodeTypes,
  Limit,
  EdgeOrder
};

/// The outcome of a call that may fail: success, or one message with the
/// expected and the actual value. Messages are lower-case, without a full stop.
/// True in a condition means failure:
///
///   if (Error error = device.synchronize(stream))
///     return error;
class [[nodiscard]] Error {
public:
  /// Success.
  Error() = default;

  /// A failure with the given message, which may have several lines.
  explicit Error(std::string message, ErrorKind kind = ErrorKind::Other)
      : text(std::move(message)), failed(kind) {}

  /// Success, by name.
  static Error success() { return Error(); }

  /// True when this is a failure.
  explicit operator bool() const { return text.has_value(); }

  /// The message of a failure; empty on success.
  const std::string &message() const {
    static const std::string none;
    return text ? *text : none;
  }

  ErrorKind kind() const { return failed; }

  /// The same failure with "`where`: " in front; success stays success.
  Error in(const std::string &where) const {
    return text ? Error(onOneLine(where) + ": " + *text, failed) : Error();
  }

private:
  std::optional<std::string> text;
  ErrorKind failed = ErrorKind::Other;
};

/// A failure whose message consists of the parts, one after another, on one
/// line.
template <typename... Parts> Error failure(const Parts &...parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return Error(onOneLine(stream.str()));
}

/// A failure because a limit of the caller is exceeded.
template <typename... Parts> Error limitExceeded(const Parts &...parts) {
  return Error(failure(parts...).message(), ErrorKind::Limit);
}

/// A value, or the Error of the call that should have computed it. True in a
/// condition means that the call succeeded:
///
///   Expected<LaunchPlan> plan = LaunchPlan::parse(text);
///   if (!plan)
///     return plan.takeError();
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : state(std::in_place_index<0>, std::move(value)) {}

  /// `error` must be a failure.
  Expected(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  /// A value of a type that converts to T, e.g. a shared pointer to a class
  /// derived from T's.
  template <typename U, typename = std::enable_if_t<
                            std::is_convertible_v<U &&, T> &&
                            !std::is_same_v<std::decay_t<U>, T> &&
                            !std::is_same_v<std::decay_t<U>, Error> &&
                            !std::is_same_v<std::decay_t<U>, Expected>>>
  Expected(U &&value)
      : state(std::in_place_index<0>, T(std::forward<U>(value))) {}

  /// True when there is a value.
  explicit operator bool() const { return state.index() == 0; }

  /// The value. Needs one.
  T &operator*() { return *std::get_if<0>(&state); }
  const T &operator*() const { return *std::get_if<0>(&state); }
  T *operator->() { return std::get_if<0>(&state); }
  const T *operator->() const { return std::get_if<0>(&state); }

  /// The failure, for the caller to return; success if there is a value.
  Error takeError() const {
    return state.index() == 1 ? *std::get_if<1>(&state) : Error();
  }

  /// The failure's message; empty if there is a value.
  std::string message() const { return takeError().message(); }

private:
  std::variant<T, Error> state;
};

} // namespace gnn::runtime

#endif // GNN_RUNTIME_ERROR_H
