// SPDX-License-Identifier: GPL-2.0-or-later
//
// The one error type of hybrid/: no exceptions cross LLVM frames, and hybrid/
// does not know llvm::Expected.

#pragma once

#include <string>
#include <utility>
#include <variant>

namespace kst {

/// Why an operation failed, in words for the person at the terminal.
struct Failure {
  std::string Message;
};

/// Either a value or the reason why there is none. Movable; owns both.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T Value) : Held(std::move(Value)) {}
  Result(Failure Why) : Held(std::move(Why)) {}

  explicit operator bool() const { return std::holds_alternative<T>(Held); }
  T &operator*() { return std::get<T>(Held); }
  const T &operator*() const { return std::get<T>(Held); }
  T *operator->() { return &std::get<T>(Held); }
  const T *operator->() const { return &std::get<T>(Held); }

  /// The message of a failed result; empty for a good one.
  std::string error() const {
    const auto *Why = std::get_if<Failure>(&Held);
    return Why ? Why->Message : std::string();
  }

  /// The same failure with `Context: ` before it; only for a failed result.
  Failure within(const std::string &Context) const {
    return {Context + ": " + error()};
  }

private:
  std::variant<T, Failure> Held;
};

} // namespace kst
