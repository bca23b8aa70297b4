/*
 * Copyright 2026 The netty-transport-rdma Project
 *
 * The netty-transport-rdma Project licenses this file to you under the Apache License,
 * version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at:
 *
 *   https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the
 * License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND,
 * either express or implied. See the License for the specific language governing permissions
 * and limitations under the License.
 */

/*
 * The compiler reads this before each source of the two libraries. It makes them ask for the oldest version of functions
 * that later versions of glibc moved or renamed without a change that matters here: from libdl and libpthread to libc
 * (2.32, 2.34), and to names of their own (2.38, __isoc23). cmake/check-library.cmake finds out what is missing.
 */
#ifndef NRDMA_GLIBC_H
#define NRDMA_GLIBC_H

#if defined(__x86_64__)
#define NRDMA_GLIBC_FIRST	"GLIBC_2.2.5"
#define NRDMA_GLIBC_ISOC99	"GLIBC_2.7"
#elif defined(__aarch64__)
#define NRDMA_GLIBC_FIRST	"GLIBC_2.17"
#define NRDMA_GLIBC_ISOC99	"GLIBC_2.17"
#else
#error "the first version of glibc for this architecture is missing here"
#endif

#define NRDMA_GLIBC(name, old, version)	__asm__(".symver " name "," old "@" version)

NRDMA_GLIBC("dladdr", "dladdr", NRDMA_GLIBC_FIRST);
NRDMA_GLIBC("dlclose", "dlclose", NRDMA_GLIBC_FIRST);
NRDMA_GLIBC("dlerror", "dlerror", NRDMA_GLIBC_FIRST);
NRDMA_GLIBC("dlopen", "dlopen", NRDMA_GLIBC_FIRST);
NRDMA_GLIBC("dlsym", "dlsym", NRDMA_GLIBC_FIRST);
NRDMA_GLIBC("pthread_create", "pthread_create", NRDMA_GLIBC_FIRST);
NRDMA_GLIBC("pthread_join", "pthread_join", NRDMA_GLIBC_FIRST);
NRDMA_GLIBC("pthread_mutex_trylock", "pthread_mutex_trylock", NRDMA_GLIBC_FIRST);
NRDMA_GLIBC("pthread_once", "pthread_once", NRDMA_GLIBC_FIRST);
NRDMA_GLIBC("pthread_sigmask", "pthread_sigmask", NRDMA_GLIBC_FIRST);
NRDMA_GLIBC("__isoc23_fscanf", "__isoc99_fscanf", NRDMA_GLIBC_ISOC99);
NRDMA_GLIBC("__isoc23_strtol", "strtol", NRDMA_GLIBC_FIRST);
NRDMA_GLIBC("__isoc23_strtoul", "strtoul", NRDMA_GLIBC_FIRST);
NRDMA_GLIBC("__isoc23_strtoull", "strtoull", NRDMA_GLIBC_FIRST);

#endif
