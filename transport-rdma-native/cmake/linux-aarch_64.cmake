# SPDX-License-Identifier: Apache-2.0
#
# Cross compiler of the distribution: gcc-aarch64-linux-gnu and its libc on Debian, Ubuntu and Fedora.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
