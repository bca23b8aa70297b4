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

/* Control commands to a process: from outside the fabric, from inside, and from the process itself. */
#include <rdma/rdma_cma.h>

#include "abi/softhca.h"
#include "fault/shca_fault.h"
#include "progress/shca_engine.h"
#include "registry/shca_fabric.h"
#include "registry/shca_ports.h"
#include "wire/shca_process_socket.h"
#include "t_wire.h"

static void wait_for_commands(int fd)
{
	CHECK_EQ(0, shca_engine_start());
	t_put(fd, shca_fabric_slot());
	CHECK_EQ(1, t_get(fd));
	CHECK_EQ(-1, atomic_load(&t_port_up));
	CHECK(!shca_faults_are_active());
	t_put(fd, 0);
	CHECK_EQ(2, t_get(fd));
	CHECK_EQ(1, atomic_load(&t_port_up));
	CHECK_EQ(1, atomic_load(&t_removed));
	CHECK(shca_faults_are_active());
	shca_engine_stop();
}

static void commands_are_carried_out_there(void)
{
	struct t_process other = t_fork(wait_for_commands);
	char large[SHCA_CONTROL_SIZE + 100];

	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = 0;
	t_get(other.fd);
	/* From outside the fabric, then from inside. */
	CHECK_EQ(0, softhca_control(other.pid, "port-down"));
	CHECK_EQ(-EINVAL, softhca_control(other.pid, "port-sideways"));
	CHECK_EQ(-EINVAL, softhca_control(other.pid, "faults nonsense"));
	CHECK_EQ(-EINVAL, softhca_control(other.pid, NULL));
	CHECK_EQ(-EMSGSIZE, softhca_control(other.pid, large));
	CHECK_EQ(-ESRCH, softhca_control(getpid(), "port-down"));
	CHECK_EQ(-ESRCH, softhca_control(0, "port-down"));
	CHECK_EQ(-ESRCH, softhca_control(1, "port-down"));
	t_put(other.fd, 1);
	t_get(other.fd);
	CHECK_EQ(0, shca_engine_start());
	CHECK_EQ(0, softhca_control(other.pid, "port-up"));
	CHECK_EQ(0, softhca_control(other.pid, "remove-device"));
	CHECK_EQ(0, softhca_control(other.pid, "faults drop=0.5"));
	atomic_store(&t_port_up, 0);
	CHECK_EQ(0, softhca_control(0, "remove-device"));
	CHECK_EQ(0, softhca_control(0, "insert-device"));
	CHECK_EQ(0, atomic_load(&t_removed));
	CHECK_EQ(0, softhca_control(0, "port-down"));
	CHECK_EQ(-1, atomic_load(&t_port_up));
	CHECK_EQ(0, softhca_control(getpid(), "port-up"));
	CHECK_EQ(1, atomic_load(&t_port_up));
	t_put(other.fd, 2);
	t_join(&other);
	CHECK_EQ(-ESRCH, softhca_control(other.pid, "port-up"));
	shca_engine_stop();
}

static void listen_on_request(int fd)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	uint32_t record;

	CHECK_EQ(0, shca_engine_start());
	CHECK_EQ(0, shca_port_bind(RDMA_PS_TCP, (struct sockaddr *)&address, false, false, 1, &record));
	t_put(fd, ntohs(address.sin_port));
	CHECK_EQ(1, t_get(fd));
	CHECK_EQ(0, shca_port_listen(record));
	t_put(fd, 0);
	CHECK_EQ(2, t_get(fd));
	shca_port_release(record);
	CHECK_EQ(0, shca_port_bind(RDMA_PS_TCP, (struct sockaddr *)&address, false, false, 1, &record));
	CHECK_EQ(0, shca_port_listen(record));
	t_put(fd, 0);
	CHECK_EQ(3, t_get(fd));
	shca_engine_stop();
}

static void a_process_says_whether_it_listens(void)
{
	struct t_process other = t_fork(listen_on_request);
	char command[32];
	char again[48];

	snprintf(command, sizeof(command), "listens %u", (unsigned int)t_get(other.fd));
	CHECK_EQ(-ENOENT, softhca_control(other.pid, command));
	t_put(other.fd, 1);
	t_get(other.fd);
	CHECK_EQ(0, softhca_control(other.pid, command));
	/* The process has begun to listen once. */
	snprintf(again, sizeof(again), "%s 1", command);
	CHECK_EQ(0, softhca_control(other.pid, again));
	snprintf(again, sizeof(again), "%s 2", command);
	CHECK_EQ(-ENOENT, softhca_control(other.pid, again));
	t_put(other.fd, 2);
	t_get(other.fd);
	CHECK_EQ(0, softhca_control(other.pid, again));
	CHECK_EQ(-EINVAL, softhca_control(other.pid, "listens 7 "));
	CHECK_EQ(-EINVAL, softhca_control(other.pid, "listens 7 0"));
	CHECK_EQ(-EINVAL, softhca_control(other.pid, "listens 7 1 1"));
	CHECK_EQ(-EINVAL, softhca_control(other.pid, "listens"));
	CHECK_EQ(-EINVAL, softhca_control(other.pid, "listens "));
	CHECK_EQ(-EINVAL, softhca_control(other.pid, "listens 0"));
	CHECK_EQ(-EINVAL, softhca_control(other.pid, "listens 65536"));
	CHECK_EQ(-EINVAL, softhca_control(other.pid, "listens -1"));
	CHECK_EQ(-EINVAL, softhca_control(other.pid, "listens 12x"));
	/* The command asks that process alone, not the whole fabric. */
	CHECK_EQ(0, shca_engine_start());
	CHECK_EQ(-ENOENT, softhca_control(0, command));
	shca_engine_stop();
	t_put(other.fd, 3);
	t_join(&other);
}

static void enter_twice(int fd)
{
	uint32_t first;

	CHECK_EQ(1, t_get(fd));
	CHECK_EQ(0, shca_engine_start());
	first = shca_fabric_slot();
	shca_engine_stop();
	CHECK_EQ(0, shca_engine_start());
	CHECK(shca_fabric_slot() != first);
	t_put(fd, 0);
	CHECK_EQ(2, t_get(fd));
	shca_engine_stop();
}

/* While another process uses the file, it keeps the slot that a process left, with that process's pid. */
static void process_that_enters_again_is_found_in_its_new_slot(void)
{
	struct t_process other = t_fork(enter_twice);

	CHECK_EQ(0, shca_engine_start());
	t_put(other.fd, 1);
	t_get(other.fd);
	CHECK_EQ(0, softhca_control(other.pid, "port-down"));
	shca_engine_stop();
	CHECK_EQ(0, softhca_control(other.pid, "port-up"));
	CHECK_EQ(0, shca_engine_start());
	CHECK_EQ(0, softhca_control(0, "port-down"));
	CHECK_EQ(0, softhca_control(0, "port-up"));
	shca_engine_stop();
	CHECK_EQ(-ESRCH, softhca_control(0, "port-up"));
	t_put(other.fd, 2);
	t_join(&other);
}

int main(void)
{
	t_seed();
	t_fabric_open();
	T_RUN(commands_are_carried_out_there);
	T_RUN(a_process_says_whether_it_listens);
	T_RUN(process_that_enters_again_is_found_in_its_new_slot);
	t_fabric_close();
	return t_result();
}
