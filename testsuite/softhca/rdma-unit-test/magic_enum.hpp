// SPDX-License-Identifier: Apache-2.0
//
// In place of a library that Debian 12 does not have: numbers instead of names.
#ifndef SOFTHCA_MAGIC_ENUM_HPP
#define SOFTHCA_MAGIC_ENUM_HPP

#include <string>

namespace magic_enum {
template <class E>
std::string enum_name(E value) {
  return std::to_string(static_cast<long>(value));
}
}  // namespace magic_enum

#endif
