// SPDX-License-Identifier: Apache-2.0
#ifndef SOFTHCA_ABSL_LOG_INITIALIZE_H
#define SOFTHCA_ABSL_LOG_INITIALIZE_H

namespace absl {
inline void InitializeLog() {}
}  // namespace absl

#endif
