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

/* A queue pair that one thread destroys while another is in a call on it. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "fault/shca_fault.h"
#include "queue_pair/shca_queue_pair.h"
#include "t_child.h"
#include "t_pair.h"

static struct t_pair pair;

static void *change(void *argument)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	ibv_modify_qp(argument, &attr, IBV_QP_STATE);
	return NULL;
}

static void *query(void *argument)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	ibv_query_qp(argument, &attr, IBV_QP_STATE, &init);
	return NULL;
}

static void *destroy(void *argument)
{
	ibv_destroy_qp(argument);
	return NULL;
}

/* The first call takes four seconds, so the other begins in time. */
static void overlap(void *(*first)(void *), void *(*second)(void *))
{
	pthread_t thread;
	struct ibv_qp *qp;

	t_pair_open(&pair, &t_usual);
	qp = pair.left.qp;
	T_MUST(!shca_fault_set("control=1:4s"));
	T_MUST(!pthread_create(&thread, NULL, first, qp));
	while (!atomic_load(&to_shca_qp(qp)->calls))
		usleep(1000);
	second(qp);
	T_MUST(!pthread_join(thread, NULL));
	T_MUST(!shca_fault_set("off"));
}

static void destroyed_while_it_is_changed(void)
{
	overlap(change, destroy);
}

static void changed_while_it_is_destroyed(void)
{
	overlap(destroy, change);
}

static void queried_while_it_is_destroyed(void)
{
	overlap(destroy, query);
}

static void destruction_during_a_call_aborts(void)
{
	t_aborts_in_child(destroyed_while_it_is_changed);
	t_aborts_in_child(changed_while_it_is_destroyed);
	t_aborts_in_child(queried_while_it_is_destroyed);
}

static void change_and_query(void)
{
	overlap(change, query);
	t_pair_close(&pair);
}

static void calls_may_overlap(void)
{
	t_in_child(NULL, NULL, change_and_query);
}

int main(void)
{
	t_seed();
	T_RUN(destruction_during_a_call_aborts);
	T_RUN(calls_may_overlap);
	return t_result();
}
