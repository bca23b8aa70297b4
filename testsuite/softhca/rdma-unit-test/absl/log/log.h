// SPDX-License-Identifier: Apache-2.0
//
// What rdma-unit-test uses of Abseil's log, which is newer than the Abseil of Debian 12.
#ifndef SOFTHCA_ABSL_LOG_LOG_H
#define SOFTHCA_ABSL_LOG_LOG_H

#include <cstdlib>
#include <iostream>
#include <sstream>

namespace softhca_log {

enum Level { INFO, WARNING, ERROR, FATAL };

class Line {
 public:
  explicit Line(Level level) : level_(level) {}
  ~Line() {
    std::cerr << text_.str() << std::endl;
    if (level_ == FATAL) abort();
  }
  std::ostream& stream() { return text_; }

 private:
  Level level_;
  std::ostringstream text_;
};

// Makes a statement with << one of type void.
struct Nothing {
  void operator&(std::ostream&) {}
};

}  // namespace softhca_log

#define LOG(level) softhca_log::Line(softhca_log::level).stream()
#define LOG_IF(level, condition) !(condition) ? (void)0 : softhca_log::Nothing() & LOG(level)
#define LOG_EVERY_N_SEC(level, seconds) LOG(level)

#endif
