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
 * A host and a container that share some of their namespaces, and a client in one that wants to reach a server in the
 * other. It reaches it, or gets a reason. Also changes of the file under the processes that use it.
 */
#include <dirent.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "abi/softhca.h"
#include "registry/shca_fabric_file.h"
#include "t_container.h"

/* ---- all of them ---- */

static bool is_in_reach(void)
{
	return container.user != USER_OTHER_ID && container.mounts != MOUNTS_OWN_DIRECTORY && !container.own_net;
}

/* The reason that the client must get if it reaches no server. NULL: as with TCP, it cannot know that there is one. */
static const char *expected_reason(void)
{
	if (container.mounts == MOUNTS_OWN_DIRECTORY)
		return container.own_net ? NULL : "another file";
	if (container.user == USER_OTHER_ID)
		return container.own_net ? NULL : "user";
	return "another network namespace";
}

static void name_case(char *text, size_t size, bool from_container)
{
	static const char *const users[] = { "shared", "same id", "other id" };
	static const char *const mounts[] = { "shared", "own", "own directory" };

	snprintf(text, size, "user %s, mount %s, pid %s, net %s, ipc %s, client in %s", users[container.user],
		 mounts[container.mounts], container.own_pid ? "own" : "shared", container.own_net ? "own" : "shared",
		 container.own_ipc ? "own" : "shared", from_container ? "container" : "host");
}

static void check_outcome(int64_t outcome, const char *said)
{
	const char *reason = expected_reason();

	if (is_in_reach()) {
		CHECK_EQ(CONNECTED, outcome);
		CHECK_TEXT("", said);
		return;
	}
	if (outcome != -EACCES)
		CHECK_EQ(REJECTED, outcome);
	if (reason && !strstr(said, reason))
		T_FAIL("no reason \"%s\" in: %s", reason, said);
}

/* The files of a container: its processes end without leaving, as killed ones do. Another user may not use its file. */
static void remove_files(void)
{
	DIR *stream = opendir(t_directory);
	struct dirent *entry;

	T_MUST(stream);
	while ((entry = readdir(stream)))
		if (!strncmp(entry->d_name, "softhca.", 8))
			T_MUST(!unlinkat(dirfd(stream), entry->d_name, 0));
	closedir(stream);
}

static void try_one(bool from_container)
{
	struct t_process server = from_container ? t_fork(serve) : start_container(serve);
	int64_t port = t_get(server.fd);
	struct t_process client = from_container ? start_container(connect_on_request) : t_fork(connect_on_request);
	char said[1000] = "", name[200];
	int64_t outcome;

	name_case(name, sizeof(name), from_container);
	t_name = name;
	T_MUST(port > 0);
	t_put(client.fd, port);
	outcome = t_get(client.fd);
	T_MUST(recv(client.fd, said, sizeof(said) - 1, 0) > 0);
	check_outcome(outcome, said);
	t_put(client.fd, 0);
	t_join(&client);
	t_put(server.fd, 0);
	t_join(&server);
	remove_files();
}

static void client_reaches_server_or_gets_a_reason(void)
{
	for (unsigned int i = 0; i < USERS * MOUNT_KINDS * 8; i++) {
		container = (struct container){
			.user = (enum user)(i / 8 % USERS), .mounts = (enum mounts)(i / 8 / USERS),
			.own_pid = i & 1, .own_net = i & 2, .own_ipc = i & 4,
		};
		try_one(false);
		try_one(true);
	}
}

/* ---- control by pid, across pid namespaces ---- */

static void wait_in_container(int fd)
{
	t_put(fd, ibv_open_device(ibv_get_device_list(NULL)[0]) != NULL);
	t_get(fd);
}

static pid_t only_child_of(pid_t parent)
{
	char path[64];
	int child = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", parent, parent);
	file = fopen(path, "re");
	T_MUST(file && fscanf(file, "%d", &child) == 1);
	fclose(file);
	return child;
}

static void a_process_is_controlled_by_the_number_that_it_has_here(void)
{
	struct t_process process;

	container = (struct container){ .own_pid = true };
	process = start_container(wait_in_container);
	CHECK_EQ(1, t_get(process.fd));
	CHECK_EQ(0, softhca_control(only_child_of(process.pid), "port-down"));
	/* It is 1 there; here 1 is a different process. */
	CHECK_EQ(-ESRCH, softhca_control(1, "port-up"));
	t_put(process.fd, 0);
	t_join(&process);
}

/* ---- names that differ ---- */

static void put_guid(int fd)
{
	union ibv_gid gid;
	struct ibv_device **devices = ibv_get_device_list(NULL);
	struct ibv_context *context = ibv_open_device(devices[0]);

	ibv_free_device_list(devices);
	T_MUST(context && !ibv_query_gid(context, 1, 0, &gid));
	t_put(fd, (int64_t)gid.global.interface_id);
	ibv_close_device(context);
}

static void put_guid_of_another_host(int fd)
{
	T_MUST(!unshare(CLONE_NEWUTS) && !sethostname("elsewhere", 9));
	put_guid(fd);
}

/* The first GID must be the same for both: without it no queue pairs that are connected by GIDs meet. */
static void a_container_with_a_name_of_its_own_has_the_same_device(void)
{
	struct t_process here = t_fork(put_guid), there = t_fork(put_guid_of_another_host);

	CHECK_EQ(t_get(here.fd), t_get(there.fd));
	t_join(&here);
	t_join(&there);
}

/* ---- the file, while a server runs ---- */

static void path_of_file(char *path, size_t size)
{
	struct stat namespace;

	T_MUST(!stat("/proc/self/ns/net", &namespace));
	snprintf(path, size, "%s/softhca.%u.%lu.%s", t_directory, (unsigned int)geteuid(),
		 (unsigned long)namespace.st_ino, getenv("SOFTHCA_FABRIC"));
}

static void remove_file(const char *path)
{
	T_MUST(!unlink(path));
}

static void replace_by_a_foreign_one(const char *path)
{
	int fd;

	T_MUST(!unlink(path));
	fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	T_MUST(fd >= 0 && !fchown(fd, OTHER_USER, OTHER_USER));
	close(fd);
}

static void replace_by_another_version(const char *path)
{
	uint64_t version = SHCA_FABRIC_VERSION + 1;
	int fd;

	T_MUST(!unlink(path));
	fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	T_MUST(fd >= 0 && write(fd, &version, sizeof(version)) == sizeof(version));
	close(fd);
}

static void make_a_directory_of_it(const char *path)
{
	T_MUST(!unlink(path) && !mkdir(path, 0700));
}

static void leave_alone(const char *path)
{
	(void)path;
}

/* For later processes; the server has it open for writing. */
static void make_the_directory_read_only(const char *path)
{
	(void)path;
	T_MUST(!mount(t_directory, t_directory, NULL, MS_BIND, NULL));
	T_MUST(!mount(NULL, t_directory, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL));
}

static const struct {
	const char *name;
	void (*change)(const char *path);
	int64_t outcome;
	const char *reason;
} changes[] = {
	{ "left alone", leave_alone, CONNECTED, "" },
	{ "removed", remove_file, REJECTED, "have another file, which may have been removed" },
	{ "replaced by a foreign one", replace_by_a_foreign_one, -EACCES, "not a file of this user alone" },
	{ "replaced by another version's", replace_by_another_version, -EPROTO, "another version" },
	{ "in a directory that is read-only", make_the_directory_read_only, -EROFS, "SOFTHCA_DIR" },
	{ "replaced by a directory", make_a_directory_of_it, -EISDIR, "SOFTHCA_DIR" },
};

/* The server goes on for processes that have the same file; a later process gets the reason why it does not. */
static void later_process_gets_a_reason(void)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct t_process server = t_fork(serve), later;
		char path[256], said[1000] = "";
		int64_t port = t_get(server.fd);

		t_name = changes[i].name;
		path_of_file(path, sizeof(path));
		T_MUST(port > 0);
		changes[i].change(path);
		later = t_fork(connect_on_request);
		t_put(later.fd, port);
		CHECK_EQ(changes[i].outcome, t_get(later.fd));
		T_MUST(recv(later.fd, said, sizeof(said) - 1, 0) > 0);
		if (!strstr(said, changes[i].reason))
			T_FAIL("no reason \"%s\" in: %s", changes[i].reason, said);
		t_put(later.fd, 0);
		t_join(&later);
		t_put(server.fd, 0);
		t_join(&server);
		umount(t_directory);
		remove(path);
	}
}

/* Has the old file, and looks for a process that has the new one. */
static void connect_again(int fd)
{
	uint16_t port = (uint16_t)t_get(fd);

	CHECK_EQ(REJECTED, connect_to(port));
	t_put(fd, 0);
	connect_on_request(fd);
}

static void earlier_process_gets_a_reason(void)
{
	struct t_process before = t_fork(connect_again), server;
	char path[256], said[1000] = "";

	t_put(before.fd, 1);
	t_get(before.fd);
	path_of_file(path, sizeof(path));
	T_MUST(!unlink(path));
	server = t_fork(serve);
	/* It has looked around a moment ago, and does so once a second. */
	sleep(1);
	t_put(before.fd, t_get(server.fd));
	CHECK_EQ(REJECTED, t_get(before.fd));
	T_MUST(recv(before.fd, said, sizeof(said) - 1, 0) > 0);
	if (!strstr(said, "the file of this process was removed"))
		T_FAIL("no reason in: %s", said);
	t_put(before.fd, 0);
	t_join(&before);
	t_put(server.fd, 0);
	t_join(&server);
}

/* Some container that runs the tests may refuse. */
static int try_namespaces(void)
{
	int status = 0;
	pid_t child = fork();

	T_MUST(child >= 0);
	if (!child)
		_exit(unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
			      CLONE_NEWUTS) || unshare(CLONE_NEWNS) ? errno : 0);
	waitpid(child, &status, 0);
	if (status)
		return WEXITSTATUS(status);
	/* For mounts of its own. */
	return unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ? errno : 0;
}

int main(void)
{
	char fabric[32];
	int refusal;

	t_fabric_open();
	/* Sockets show other files with the same name, and other tests may run. */
	snprintf(fabric, sizeof(fabric), "containers-%d", getpid());
	T_MUST(!setenv("SOFTHCA_FABRIC", fabric, 1));
	T_MUST(!chmod(t_directory, 01777));
	t_name = "containers";
	refusal = geteuid() ? EPERM : try_namespaces();
	if (refusal) {
		T_NOT_RUN("they need root and namespaces of every kind: %s", strerror(refusal));
	} else {
		T_RUN(client_reaches_server_or_gets_a_reason);
		T_RUN(a_process_is_controlled_by_the_number_that_it_has_here);
		T_RUN(a_container_with_a_name_of_its_own_has_the_same_device);
		T_RUN(later_process_gets_a_reason);
		T_RUN(earlier_process_gets_a_reason);
	}
	t_fabric_close();
	return t_result();
}
