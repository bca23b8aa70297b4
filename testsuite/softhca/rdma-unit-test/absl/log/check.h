// SPDX-License-Identifier: Apache-2.0
#ifndef SOFTHCA_ABSL_LOG_CHECK_H
#define SOFTHCA_ABSL_LOG_CHECK_H

#include "absl/log/log.h"

#define CHECK(condition) LOG_IF(FATAL, !(condition)) << #condition
#define CHECK_EQ(a, b) CHECK((a) == (b))
#define CHECK_NE(a, b) CHECK((a) != (b))
#define CHECK_GT(a, b) CHECK((a) > (b))
#define CHECK_LE(a, b) CHECK((a) <= (b))
#define CHECK_LT(a, b) CHECK((a) < (b))
#define DCHECK(condition) CHECK(condition)
#define DCHECK_EQ(a, b) CHECK_EQ(a, b)
#define DCHECK_LE(a, b) CHECK_LE(a, b)
#define DCHECK_LT(a, b) CHECK_LT(a, b)

#endif
