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

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>

#include "abi/nrdma_abi.h"
#include "t_rdma.h"

#define NATIVE(type, name, ...) T_NATIVE(nrdma_cm_id_methods, type, name, __VA_ARGS__)

static struct ibv_device device = { .name = "rxe0", .transport_type = IBV_TRANSPORT_IB };
static struct ibv_context verbs = { .device = &device };
static struct rdma_event_channel channel;
static struct rdma_cm_id id;
static int calls;

/* Every test starts with an id that is bound to the device. */
static void reset(void)
{
	memset(&id, 0, sizeof(id));
	id.verbs = &verbs;
	id.port_num = 2;
	calls = 0;
}

static int create_id(struct rdma_event_channel *of, struct rdma_cm_id **to, void *context,
		     enum rdma_port_space ps)
{
	if (of != &channel) {
		errno = EBADF;
		return -1;
	}
	CHECK_EQ(0x1234, (uintptr_t)context);
	CHECK_EQ(RDMA_PS_UDP, ps);
	*to = &id;
	return 0;
}

static void id_is_created_with_its_context(void)
{
	t_cm()->rdma_create_id = create_id;
	CHECK_EQ(t_handle(&id), NATIVE(jlong, createId, jlong, jlong, jint)
		 (T_ENV, t_handle(&channel), 0x1234, RDMA_PS_UDP));
	CHECK_EQ(-EBADF, NATIVE(jlong, createId, jlong, jlong, jint)(T_ENV, 8, 0x1234, RDMA_PS_UDP));
	NATIVE(void, setContext, jlong, jlong)(T_ENV, t_handle(&id), 0x5678);
	CHECK_EQ(0x5678, (uintptr_t)id.context);
}

static void check_address(const struct sockaddr *address, const char *ip, int port)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)address;

	CHECK_EQ(AF_INET, in->sin_family);
	CHECK_EQ(inet_addr(ip), in->sin_addr.s_addr);
	CHECK_EQ(htons((uint16_t)port), in->sin_port);
}

static int bind_addr(struct rdma_cm_id *of, struct sockaddr *address)
{
	CHECK(of == &id);
	calls++;
	check_address(address, "10.9.0.1", 7471);
	errno = EADDRINUSE;
	return -1;
}

static bool with_source;

static int resolve_addr(struct rdma_cm_id *of, struct sockaddr *source, struct sockaddr *destination,
			int timeout)
{
	CHECK(of == &id);
	calls++;
	check_address(destination, "10.9.0.1", 7471);
	CHECK_EQ(2000, timeout);
	CHECK_EQ(with_source, source != NULL);
	if (source)
		check_address(source, "10.9.0.2", 0);
	return 0;
}

static void addresses_are_passed_on(void)
{
	struct nrdma_sockaddr destination = { .family = 4, .port = 7471, .addr = { 10, 9, 0, 1 } };
	struct nrdma_sockaddr source = { .family = 4, .addr = { 10, 9, 0, 2 } };
	struct nrdma_sockaddr none = { .family = 0 };

	reset();
	t_cm()->rdma_bind_addr = bind_addr;
	t_cm()->rdma_resolve_addr = resolve_addr;
	CHECK_EQ(-EADDRINUSE, NATIVE(jint, bind, jlong, jlong)(T_ENV, t_handle(&id), t_handle(&destination)));
	CHECK_EQ(-EAFNOSUPPORT, NATIVE(jint, bind, jlong, jlong)(T_ENV, t_handle(&id), t_handle(&none)));
	CHECK_EQ(1, calls);
	CHECK_EQ(0, NATIVE(jint, resolveAddress, jlong, jlong, jlong, jint)
		 (T_ENV, t_handle(&id), 0, t_handle(&destination), 2000));
	with_source = true;
	CHECK_EQ(0, NATIVE(jint, resolveAddress, jlong, jlong, jlong, jint)
		 (T_ENV, t_handle(&id), t_handle(&source), t_handle(&destination), 2000));
	CHECK_EQ(3, calls);
	CHECK_EQ(-EAFNOSUPPORT, NATIVE(jint, resolveAddress, jlong, jlong, jlong, jint)
		 (T_ENV, t_handle(&id), t_handle(&none), t_handle(&destination), 2000));
	CHECK_EQ(-EAFNOSUPPORT, NATIVE(jint, resolveAddress, jlong, jlong, jlong, jint)
		 (T_ENV, t_handle(&id), 0, t_handle(&none), 2000));
	CHECK_EQ(3, calls);
}

static void addresses_are_read(void)
{
	struct nrdma_sockaddr expected = { .family = 4, .port = 7471, .addr = { 10, 9, 0, 1 } }, actual;

	reset();
	id.route.addr.src_sin.sin_family = AF_INET;
	id.route.addr.src_sin.sin_port = htons(7471);
	id.route.addr.src_sin.sin_addr.s_addr = inet_addr("10.9.0.1");
	NATIVE(void, localAddress, jlong, jlong)(T_ENV, t_handle(&id), t_handle(&actual));
	CHECK_BYTES(&expected, &actual, sizeof(actual));
	memset(&expected, 0, sizeof(expected));
	NATIVE(void, peerAddress, jlong, jlong)(T_ENV, t_handle(&id), t_handle(&actual));
	CHECK_BYTES(&expected, &actual, sizeof(actual));
}

static int resolve_route(struct rdma_cm_id *of, int timeout)
{
	CHECK(of == &id);
	CHECK_EQ(1000, timeout);
	calls++;
	return 0;
}

static int connect_or_accept(struct rdma_cm_id *of, struct rdma_conn_param *param)
{
	CHECK(of == &id);
	calls++;
	CHECK_EQ(0x123456, param->qp_num);
	CHECK_EQ(1, param->responder_resources);
	CHECK_EQ(2, param->initiator_depth);
	CHECK_EQ(3, param->flow_control);
	CHECK_EQ(4, param->retry_count);
	CHECK_EQ(5, param->rnr_retry_count);
	CHECK_EQ(6, param->srq);
	CHECK_EQ(5, param->private_data_len);
	CHECK_TEXT("data", (const char *)param->private_data);
	return 0;
}

static void connection_parameters_are_passed_on(void)
{
	struct nrdma_conn_param param = {
		.qp_num = 0x123456, .responder_resources = 1, .initiator_depth = 2, .flow_control = 3,
		.retry_count = 4, .rnr_retry_count = 5, .srq = 6, .private_data_len = 5, .private_data = "data",
	};

	reset();
	t_cm()->rdma_resolve_route = resolve_route;
	t_cm()->rdma_connect = connect_or_accept;
	t_cm()->rdma_accept = connect_or_accept;
	CHECK_EQ(0, NATIVE(jint, resolveRoute, jlong, jint)(T_ENV, t_handle(&id), 1000));
	CHECK_EQ(0, NATIVE(jint, connect, jlong, jlong)(T_ENV, t_handle(&id), t_handle(&param)));
	CHECK_EQ(0, NATIVE(jint, accept, jlong, jlong)(T_ENV, t_handle(&id), t_handle(&param)));
	CHECK_EQ(3, calls);
	/* Without a device librdmacm would read from address 0. */
	id.verbs = NULL;
	CHECK_EQ(-EINVAL, NATIVE(jint, resolveRoute, jlong, jint)(T_ENV, t_handle(&id), 1000));
	CHECK_EQ(-EINVAL, NATIVE(jint, connect, jlong, jlong)(T_ENV, t_handle(&id), t_handle(&param)));
	CHECK_EQ(-EINVAL, NATIVE(jint, accept, jlong, jlong)(T_ENV, t_handle(&id), t_handle(&param)));
	CHECK_EQ(3, calls);
}

static int rejected_length;

static int reject_id(struct rdma_cm_id *of, const void *data, uint8_t length)
{
	CHECK(of == &id);
	CHECK(data == &channel);
	rejected_length = length;
	return 0;
}

static void reject_takes_no_more_than_its_length_can_say(void)
{
	reset();
	t_cm()->rdma_reject = reject_id;
	CHECK_EQ(0, NATIVE(jint, reject, jlong, jlong, jint)(T_ENV, t_handle(&id), t_handle(&channel), 148));
	CHECK_EQ(148, rejected_length);
	CHECK_EQ(-EINVAL, NATIVE(jint, reject, jlong, jlong, jint)(T_ENV, t_handle(&id), t_handle(&channel), 256));
	CHECK_EQ(-EINVAL, NATIVE(jint, reject, jlong, jlong, jint)(T_ENV, t_handle(&id), t_handle(&channel), -1));
	CHECK_EQ(148, rejected_length);
}

static int option_set, option_value;
static size_t option_size;

static int set_option(struct rdma_cm_id *of, int level, int option, void *value, size_t size)
{
	CHECK(of == &id);
	CHECK_EQ(RDMA_OPTION_ID, level);
	option_set = option;
	option_size = size;
	option_value = size == 1 ? *(uint8_t *)value : *(int *)value;
	return 0;
}

static void check_option(int option, int value, size_t size)
{
	CHECK_EQ(0, NATIVE(jint, setOption, jlong, jint, jint)(T_ENV, t_handle(&id), option, value));
	CHECK_EQ(option, option_set);
	CHECK_EQ(value, option_value);
	CHECK_EQ(size, option_size);
}

static void options_have_the_size_that_the_kernel_wants(void)
{
	reset();
	t_cm()->rdma_set_option = set_option;
	check_option(RDMA_OPTION_ID_TOS, 0xe0, 1);
	check_option(RDMA_OPTION_ID_REUSEADDR, 1, 4);
	check_option(RDMA_OPTION_ID_AFONLY, 1, 4);
	check_option(RDMA_OPTION_ID_ACK_TIMEOUT, 18, 1);
	CHECK_EQ(-EINVAL, NATIVE(jint, setOption, jlong, jint, jint)(T_ENV, t_handle(&id), RDMA_OPTION_ID_TOS, 256));
	CHECK_EQ(-EINVAL, NATIVE(jint, setOption, jlong, jint, jint)(T_ENV, t_handle(&id), RDMA_OPTION_ID_TOS, -1));
	CHECK_EQ(-EINVAL, NATIVE(jint, setOption, jlong, jint, jint)(T_ENV, t_handle(&id), 4, 0));
	CHECK_EQ(18, option_value);
}

static jstring new_string(__attribute__((unused)) JNIEnv *env, const char *chars)
{
	return (jstring)(uintptr_t)chars;
}

static void device_is_named_once_it_is_known(void)
{
	static const struct JNINativeInterface_ functions = { .NewStringUTF = new_string };
	JNIEnv env = &functions;

	reset();
	CHECK_TEXT("rxe0", (char *)NATIVE(jstring, deviceName, jlong)(&env, NULL, t_handle(&id)));
	CHECK_EQ(2, NATIVE(jint, devicePort, jlong)(T_ENV, t_handle(&id)));
	id.verbs = NULL;
	CHECK(!NATIVE(jstring, deviceName, jlong)(&env, NULL, t_handle(&id)));
	CHECK_EQ(0, NATIVE(jint, devicePort, jlong)(T_ENV, t_handle(&id)));
}

static int init_qp_attr(struct rdma_cm_id *of, struct ibv_qp_attr *attr, int *mask)
{
	CHECK(of == &id);
	CHECK_EQ(IBV_QPS_RTR, attr->qp_state);
	attr->dest_qp_num = 7;
	attr->path_mtu = IBV_MTU_1024;
	attr->ah_attr.grh.sgid_index = 1;
	*mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_DEST_QPN | 0xf << 21;
	return 0;
}

static void transition_has_no_bits_of_the_kernel_in_its_mask(void)
{
	struct nrdma_qp_attr record;

	reset();
	memset(&record, 0xa5, sizeof(record));
	t_cm()->rdma_init_qp_attr = init_qp_attr;
	CHECK_EQ(0, NATIVE(jint, initQueuePairAttributes, jlong, jint, jlong)
		 (T_ENV, t_handle(&id), IBV_QPS_RTR, t_handle(&record)));
	CHECK_EQ(IBV_QP_STATE | IBV_QP_AV | IBV_QP_DEST_QPN, record.mask);
	CHECK_EQ(IBV_QPS_RTR, record.state);
	CHECK_EQ(7, record.dest_qp_num);
	CHECK_EQ(IBV_MTU_1024, record.path_mtu);
	CHECK_EQ(1, record.ah.sgid_index);
}

int main(void)
{
	T_RUN(id_is_created_with_its_context);
	T_RUN(addresses_are_passed_on);
	T_RUN(addresses_are_read);
	T_RUN(connection_parameters_are_passed_on);
	T_RUN(reject_takes_no_more_than_its_length_can_say);
	T_RUN(options_have_the_size_that_the_kernel_wants);
	T_RUN(device_is_named_once_it_is_known);
	T_RUN(transition_has_no_bits_of_the_kernel_in_its_mask);
	return t_result();
}
