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
 * A soak: one process sends messages to another, each with its number and a checksum, while other processes
 * connect to the receiver, send too, and are killed in the midst of it. Nothing of what the survivors have
 * between them may be lost, doubled or out of order. --messages N (10000000), --seed N, --peers N (2)
 *
 *    parent --- forks ---> receiver, sender; peers, which it kills and starts again
 *
 *    sender, peers                                  receiver
 *      SEND up to 4 KiB into a posted receive  --->
 *      WRITE_WITH_IMM up to 32 KiB into a slot --->  checks number and content
 *                                              <---  SEND: how many it has taken; the sender is never more
 *                                                    than WINDOW ahead of that
 *
 * Slot of message n is n % WINDOW, at both ends. A message is a header of 24 bytes and words that its
 * number determines:
 *
 *    0 number   8 length in bytes   16 checksum of what follows   24 words ...
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_verbs.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "d.h"

#define WINDOW		64u
#define EAGER		4096u		/* the longest message that is sent */
#define SLOT		32768u		/* the longest that is written */
#define HEADER		24u
#define SIGNAL_EVERY	16u
#define CREDIT_EVERY	32u
#define CREDITS		16u		/* receives for them */
#define MAX_PEERS	8u
#define MAX_RECEIVERS	64u		/* more: those whose death was not noticed yet */
#define TABLE		(1u << 16)	/* words that contents are cut from */
#define POLLS_PER_LOOK	256u		/* at the event channel */

struct header {
	uint64_t number;
	uint64_t length;
	uint64_t checksum;
};

/* Where a peer may write; private data of the acceptance. */
struct target {
	uint64_t address;
	uint32_t rkey;
};

static uint64_t seed;
static uint64_t messages;
static uint64_t words[TABLE + SLOT / 8];

/* ---- messages ---- */

static uint64_t mix(uint64_t z)
{
	return d_random(&(struct d_random){ .state = z });
}

static uint32_t length_of(uint64_t number)
{
	uint64_t dice = mix(number ^ seed);
	uint32_t kind = dice % 1000;
	uint32_t most = kind < 600 ? 64 : kind < 900 ? 1024 : kind < 990 ? EAGER : SLOT;

	return HEADER + (uint32_t)((dice >> 16) % (most - HEADER + 1)) / 8 * 8;
}

static uint64_t checksum_of(const uint8_t *bytes, uint32_t length)
{
	uint64_t sum = length;

	for (uint32_t i = 0; i < length; i += 8) {
		uint64_t word;

		memcpy(&word, bytes + i, 8);
		sum = (sum ^ word) * 0x9e3779b97f4a7c15;
		sum ^= sum >> 32;
	}
	return sum;
}

static uint32_t write_message(uint8_t *to, uint64_t number)
{
	struct header header = { .number = number, .length = length_of(number) };
	uint32_t body = (uint32_t)header.length - HEADER;

	memcpy(to + HEADER, &words[mix(number) % TABLE], body);
	header.checksum = checksum_of(to + HEADER, body);
	memcpy(to, &header, HEADER);
	return (uint32_t)header.length;
}

static void check_message(const uint8_t *bytes, uint32_t length, uint64_t number, const char *from)
{
	struct header header;

	memcpy(&header, bytes, HEADER);
	if (header.number != number)
		D_FAIL("%s: message %llu instead of %llu", from, (unsigned long long)header.number,
		       (unsigned long long)number);
	if (header.length != length || length != length_of(number))
		D_FAIL("%s: message %llu has %u bytes instead of %u", from, (unsigned long long)number, length,
		       length_of(number));
	if (header.checksum != checksum_of(bytes + HEADER, length - HEADER) ||
	    memcmp(bytes + HEADER, &words[mix(number) % TABLE], length - HEADER))
		D_FAIL("%s: message %llu has other bytes than were sent", from, (unsigned long long)number);
}

/* Every third is written, and what is too long to be sent. */
static bool is_written(uint64_t number)
{
	return number % 3 == 0 || length_of(number) > EAGER;
}

/* ---- sending ---- */

struct sender {
	struct rdma_cm_id *id;
	struct ibv_mr *slots_mr;
	struct ibv_mr *credits_mr;
	uint8_t *slots;
	uint64_t *credits;
	struct target target;
	uint64_t sent;
	uint64_t acknowledged;		/* by credits: the receiver is done with them */
	uint64_t completed;		/* by completions: the slots are ours again */
};

static void *memory(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		D_FAIL("mmap: %s", strerror(errno));
	return at;
}

static void connect_sender(struct sender *sender, struct rdma_event_channel *channel, uint16_t port)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = WINDOW + 1, .max_recv_wr = CREDITS, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};
	struct rdma_conn_param parameters = d_cm_parameters();
	struct rdma_cm_event *event;
	struct rdma_cm_id *id = d_cm_resolve(channel, port);

	sender->id = id;
	D_MUST(rdma_create_qp(id, NULL, &attr));
	sender->slots = memory(WINDOW * SLOT);
	sender->credits = memory(CREDITS * sizeof(uint64_t));
	sender->slots_mr = D_HAVE(rdma_reg_msgs(id, sender->slots, WINDOW * SLOT));
	sender->credits_mr = D_HAVE(rdma_reg_msgs(id, sender->credits, CREDITS * sizeof(uint64_t)));
	for (uint64_t i = 0; i < CREDITS; i++)
		D_MUST(rdma_post_recv(id, (void *)(uintptr_t)i, &sender->credits[i], sizeof(uint64_t),
				      sender->credits_mr));
	D_MUST(rdma_connect(id, &parameters));
	event = d_cm_expect(channel, RDMA_CM_EVENT_ESTABLISHED);
	D_CHECK(event->param.conn.private_data_len >= sizeof(sender->target));
	memcpy(&sender->target, event->param.conn.private_data, sizeof(sender->target));
	D_MUST(rdma_ack_cm_event(event));
}

static void send_next(struct sender *sender)
{
	uint64_t number = sender->sent;
	uint64_t at = number % WINDOW * SLOT;
	struct ibv_sge sge = { .addr = (uintptr_t)sender->slots + at, .lkey = sender->slots_mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = number,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = number % SIGNAL_EVERY == SIGNAL_EVERY - 1 || number + 1 == messages ?
			      IBV_SEND_SIGNALED : 0,
	};
	struct ibv_send_wr *bad;

	sge.length = write_message(sender->slots + at, number);
	if (is_written(number)) {
		wr.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
		wr.imm_data = (uint32_t)number;
		wr.wr.rdma.remote_addr = sender->target.address + at;
		wr.wr.rdma.rkey = sender->target.rkey;
	}
	D_MUST(ibv_post_send(sender->id->qp, &wr, &bad));
	sender->sent++;
}

static void take_completions(struct sender *sender)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(sender->id->send_cq, 1, &wc) == 1) {
		if (wc.status != IBV_WC_SUCCESS)
			D_FAIL("send of message %llu: %s", (unsigned long long)wc.wr_id,
			       ibv_wc_status_str(wc.status));
		sender->completed = wc.wr_id + 1;
	}
	while (ibv_poll_cq(sender->id->recv_cq, 1, &wc) == 1) {
		if (wc.status != IBV_WC_SUCCESS)
			D_FAIL("receive of a credit: %s", ibv_wc_status_str(wc.status));
		D_CHECK(sender->credits[wc.wr_id] > sender->acknowledged);
		sender->acknowledged = sender->credits[wc.wr_id];
		D_MUST(rdma_post_recv(sender->id, (void *)(uintptr_t)wc.wr_id, &sender->credits[wc.wr_id],
				      sizeof(uint64_t), sender->credits_mr));
		d_alive();
	}
}

static void send_all(struct sender *sender)
{
	while (sender->acknowledged < messages || sender->completed < messages) {
		/* SIGNAL_EVERY less than the slots: those whose completion is still to be told. */
		if (sender->sent < messages && sender->sent - sender->acknowledged < WINDOW &&
		    sender->sent - sender->completed < WINDOW)
			send_next(sender);
		else
			take_completions(sender);
		if (sender->sent % SIGNAL_EVERY == 0)
			take_completions(sender);
	}
}

static void run_sender(uint16_t port, bool is_peer)
{
	struct rdma_event_channel *channel = D_HAVE(rdma_create_event_channel());
	struct sender sender = { 0 };

	d_context("soak --seed %llu, %s", (unsigned long long)seed, is_peer ? "peer to be killed" : "sender");
	d_watchdog(120);
	if (is_peer)
		messages = UINT64_MAX;
	connect_sender(&sender, channel, port);
	send_all(&sender);
	D_MUST(rdma_disconnect(sender.id));
	d_cm_pass(channel, RDMA_CM_EVENT_DISCONNECTED);
	rdma_destroy_qp(sender.id);
	D_MUST(rdma_dereg_mr(sender.slots_mr));
	D_MUST(rdma_dereg_mr(sender.credits_mr));
	D_MUST(rdma_destroy_id(sender.id));
	rdma_destroy_event_channel(channel);
	exit(0);
}

/* ---- receiving ---- */

struct receiver {
	struct rdma_cm_id *id;		/* NULL: free */
	struct ibv_mr *eager_mr;
	struct ibv_mr *slots_mr;
	struct ibv_mr *credit_mr;
	uint8_t *eager;
	uint8_t *slots;
	uint64_t credit[CREDITS];
	uint64_t received;
	uint64_t credits_sent;
	bool is_main;			/* the survivor's: the first that connects; all others will be killed */
	bool established;
	bool failed;			/* its queue pair has flushed: the peer is gone */
};

static int parent_socket;
static struct receiver receivers[MAX_RECEIVERS];
static bool had_main;
static uint64_t main_received;
static uint64_t peers_received;
static uint64_t peers_gone;
static uint64_t peers_half_gone;	/* before they were established */

static void post_eager(struct receiver *receiver, uint64_t slot)
{
	D_MUST(rdma_post_recv(receiver->id, (void *)(uintptr_t)slot, receiver->eager + slot * EAGER, EAGER,
			      receiver->eager_mr));
}

/* Without a queue pair. */
static void forget_request(struct receiver *receiver)
{
	D_CHECK(!receiver->is_main || receiver->established);
	peers_gone += !receiver->is_main;
	peers_half_gone += !receiver->established;
	D_MUST(rdma_destroy_id(receiver->id));
	receiver->id = NULL;
}

static void close_receiver(struct receiver *receiver)
{
	rdma_destroy_qp(receiver->id);
	D_MUST(rdma_dereg_mr(receiver->eager_mr));
	D_MUST(rdma_dereg_mr(receiver->slots_mr));
	D_MUST(rdma_dereg_mr(receiver->credit_mr));
	munmap(receiver->eager, WINDOW * EAGER);
	munmap(receiver->slots, WINDOW * SLOT);
	forget_request(receiver);
}

static void accept_sender(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = CREDITS, .max_recv_wr = WINDOW, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};
	struct rdma_conn_param parameters = d_cm_parameters();
	struct receiver *receiver = NULL;
	struct target target;

	for (size_t i = 0; i < D_COUNT(receivers) && !receiver; i++)
		if (!receivers[i].id)
			receiver = &receivers[i];
	D_CHECK(receiver);
	*receiver = (struct receiver){ .id = id, .is_main = !had_main };
	had_main = true;
	id->context = receiver;
	/* It may have been killed since it asked. Then this fails, or accepting does, or an event says so. */
	if (rdma_create_qp(id, NULL, &attr)) {
		forget_request(receiver);
		return;
	}
	receiver->eager = memory(WINDOW * EAGER);
	receiver->slots = memory(WINDOW * SLOT);
	receiver->eager_mr = D_HAVE(rdma_reg_msgs(id, receiver->eager, WINDOW * EAGER));
	receiver->slots_mr = D_HAVE(rdma_reg_write(id, receiver->slots, WINDOW * SLOT));
	receiver->credit_mr = D_HAVE(rdma_reg_msgs(id, receiver->credit, sizeof(receiver->credit)));
	for (uint64_t slot = 0; slot < WINDOW; slot++)
		post_eager(receiver, slot);
	target = (struct target){ (uintptr_t)receiver->slots, receiver->slots_mr->rkey };
	parameters.private_data = &target;
	parameters.private_data_len = sizeof(target);
	if (rdma_accept(id, &parameters))
		close_receiver(receiver);
}

static void fail_receiver(struct receiver *receiver, const char *what, enum ibv_wc_status status)
{
	if (receiver->is_main && receiver->received < messages)
		D_FAIL("%s on the survivors' connection after %llu messages: %s", what,
		       (unsigned long long)receiver->received, ibv_wc_status_str(status));
	receiver->failed = true;
}

static void send_credit(struct receiver *receiver)
{
	uint64_t slot = receiver->credits_sent++ % CREDITS;

	receiver->credit[slot] = receiver->received;
	if (rdma_post_send(receiver->id, NULL, &receiver->credit[slot], sizeof(uint64_t), receiver->credit_mr, 0))
		fail_receiver(receiver, "posting a credit", IBV_WC_GENERAL_ERR);
}

static void take_message(struct receiver *receiver, const struct ibv_wc *wc)
{
	const char *from = receiver->is_main ? "sender" : "peer";
	uint64_t number = receiver->received++;
	const uint8_t *bytes = receiver->eager + wc->wr_id * EAGER;

	if (is_written(number) != (wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM))
		D_FAIL("%s: message %llu came by opcode %d", from, (unsigned long long)number, wc->opcode);
	if (is_written(number)) {
		D_EQ((uint32_t)number, wc->imm_data);
		bytes = receiver->slots + number % WINDOW * SLOT;
	}
	check_message(bytes, wc->byte_len, number, from);
	post_eager(receiver, wc->wr_id);
	*(receiver->is_main ? &main_received : &peers_received) += 1;
	if (receiver->received % CREDIT_EVERY == 0 || (receiver->is_main && receiver->received == messages))
		send_credit(receiver);
}

static bool poll_receiver(struct receiver *receiver)
{
	struct ibv_wc wcs[16];
	int count = ibv_poll_cq(receiver->id->recv_cq, 16, wcs);

	for (int i = 0; i < count; i++) {
		if (wcs[i].status == IBV_WC_SUCCESS)
			take_message(receiver, &wcs[i]);
		else
			fail_receiver(receiver, "receive", wcs[i].status);
	}
	while (ibv_poll_cq(receiver->id->send_cq, 1, wcs) == 1)
		if (wcs[0].status != IBV_WC_SUCCESS)
			fail_receiver(receiver, "credit", wcs[0].status);
	return count > 0;
}

/* True when the sender has gone, in peace. */
static bool take_event(struct rdma_cm_event *event)
{
	struct rdma_cm_id *id = event->id;
	struct receiver *receiver = id->context;
	enum rdma_cm_event_type type = event->event;

	D_MUST(rdma_ack_cm_event(event));
	switch (type) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		accept_sender(id);
		return false;
	case RDMA_CM_EVENT_ESTABLISHED:
		receiver->established = true;
		if (receiver->is_main)
			d_send(parent_socket, "", 1);
		return false;
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_CONNECT_ERROR:
		break;
	default:
		D_FAIL("%s", rdma_event_str(type));
	}
	/* What arrived before the end is in the queue. */
	while (!receiver->failed && poll_receiver(receiver))
		;
	if (receiver->is_main) {
		D_EQ(messages, receiver->received);
		D_EQ(RDMA_CM_EVENT_DISCONNECTED, type);
	}
	close_receiver(receiver);
	return receiver->is_main;
}

static void print_progress(void)
{
	static uint64_t next;
	uint64_t step = messages / 10 ? messages / 10 : 1;

	if (main_received < next)
		return;
	printf("soak: %llu of %llu messages; %llu from %llu peers that were killed\n",
	       (unsigned long long)main_received, (unsigned long long)messages, (unsigned long long)peers_received,
	       (unsigned long long)peers_gone);
	fflush(stdout);
	next += step;
}

static bool look_at_events(struct rdma_event_channel *channel)
{
	struct rdma_cm_event *event;
	bool done = false;

	while (!rdma_get_cm_event(channel, &event)) {
		if (event->event == RDMA_CM_EVENT_TIMEWAIT_EXIT)
			D_MUST(rdma_ack_cm_event(event));
		else
			done |= take_event(event);
	}
	return done;
}

/* Peers are killed: the last of them may still have to be noticed. */
static void wait_for_peers(struct rdma_event_channel *channel)
{
	bool any;

	do {
		look_at_events(channel);
		any = false;
		for (size_t i = 0; i < D_COUNT(receivers); i++) {
			any |= receivers[i].id != NULL;
			if (receivers[i].id && !receivers[i].failed)
				poll_receiver(&receivers[i]);
		}
	} while (any);
}

static void run_receiver(void)
{
	struct rdma_event_channel *channel = D_HAVE(rdma_create_event_channel());
	struct rdma_cm_id *listener;
	bool done = false;
	uint16_t port;
	char byte;

	d_context("soak --seed %llu, receiver", (unsigned long long)seed);
	d_watchdog(120);
	listener = d_cm_listen(channel, &port);
	d_non_blocking(channel->fd);
	d_send(parent_socket, &port, sizeof(port));
	for (uint32_t polls = 0; !done; polls++) {
		for (size_t i = 0; i < D_COUNT(receivers); i++)
			if (receivers[i].id && !receivers[i].failed)
				poll_receiver(&receivers[i]);
		if (polls % POLLS_PER_LOOK == 0) {
			done = look_at_events(channel);
			print_progress();
			d_alive();
		}
	}
	d_send(parent_socket, &main_received, sizeof(main_received));
	/* The parent has killed the last peer. */
	D_CHECK(d_receive(parent_socket, &byte, 1));
	wait_for_peers(channel);
	D_MUST(rdma_destroy_id(listener));
	rdma_destroy_event_channel(channel);
	printf("soak: %llu messages, none lost; %llu more from %llu peers that were killed, %llu of them while they "
	       "connected\n", (unsigned long long)main_received, (unsigned long long)peers_received,
	       (unsigned long long)peers_gone, (unsigned long long)peers_half_gone);
	fflush(stdout);
	exit(0);
}

/* ---- the parent ---- */

static pid_t fork_or_fail(void)
{
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child < 0)
		D_FAIL("fork: %s", strerror(errno));
	/* When the parent fails, nobody is left. */
	if (!child)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return child;
}

static void expect_good_end(pid_t child, const char *who)
{
	int status = 0;

	D_EQ(child, waitpid(child, &status, 0));
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		D_FAIL("the %s has failed: status %x", who, status);
}

/* Kills it after a while: how long is chance, and nothing is concluded from it. */
static void kill_one(pid_t *peer, uint16_t port, struct d_random *random)
{
	struct timespec pause = { .tv_nsec = (long)d_below(random, 30000000) };
	int status = 0;

	nanosleep(&pause, NULL);
	if (*peer) {
		D_MUST(kill(*peer, SIGKILL));
		D_EQ(*peer, waitpid(*peer, &status, 0));
		if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
			D_FAIL("a peer ended by itself: status %x", status);
	}
	*peer = fork_or_fail();
	if (!*peer)
		run_sender(port, true);
}

/* The file that processes share is gone with the last of them. */
static void expect_no_files(const char *fabric)
{
	const char *path = getenv("SOFTHCA_DIR") ? getenv("SOFTHCA_DIR") : "/dev/shm";
	DIR *directory = D_HAVE(opendir(path));
	struct dirent *entry;

	while ((entry = readdir(directory)))
		if (strstr(entry->d_name, fabric))
			D_FAIL("%s/%s is left", path, entry->d_name);
	closedir(directory);
}

static bool is_readable(int fd)
{
	struct pollfd descriptor = { .fd = fd, .events = POLLIN };

	return poll(&descriptor, 1, 0) == 1;
}

int main(int argc, char **argv)
{
	struct d_random random;
	pid_t peers[MAX_PEERS] = { 0 };
	uint64_t peer_count = d_option(argc, argv, "--peers", 2);
	pid_t receiver;
	pid_t sender;
	uint64_t received;
	char fabric[64];
	uint16_t port;
	int fds[2];

	messages = d_option(argc, argv, "--messages", 10000000);
	seed = d_option(argc, argv, "--seed", (uint64_t)time(NULL));
	random.state = seed;
	D_CHECK(messages > 0 && peer_count <= MAX_PEERS);
	printf("soak --messages %llu --peers %llu --seed %llu\n", (unsigned long long)messages,
	       (unsigned long long)peer_count, (unsigned long long)seed);
	d_fill(words, sizeof(words), seed);
	snprintf(fabric, sizeof(fabric), "soak-%d", (int)getpid());
	setenv("SOFTHCA_FABRIC", fabric, 1);
	setenv("SOFTHCA_QUIET", "1", 0);
	D_MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	receiver = fork_or_fail();
	if (!receiver) {
		close(fds[0]);
		parent_socket = fds[1];
		run_receiver();
	}
	close(fds[1]);
	D_CHECK(d_receive(fds[0], &port, sizeof(port)));
	sender = fork_or_fail();
	if (!sender)
		run_sender(port, false);
	/* A peer must not be the first that connects. */
	D_CHECK(d_receive(fds[0], &(char){ 0 }, 1));
	while (!is_readable(fds[0]) && peer_count)
		kill_one(&peers[d_below(&random, (uint32_t)peer_count)], port, &random);
	if (!d_receive(fds[0], &received, sizeof(received)))
		D_FAIL("the receiver has failed");
	D_EQ(messages, received);
	for (uint64_t i = 0; i < peer_count; i++) {
		if (peers[i]) {
			D_MUST(kill(peers[i], SIGKILL));
			D_EQ(peers[i], waitpid(peers[i], NULL, 0));
		}
	}
	expect_good_end(sender, "sender");
	d_send(fds[0], "", 1);
	expect_good_end(receiver, "receiver");
	expect_no_files(fabric);
	printf("soak: no file is left\n");
	return 0;
}
