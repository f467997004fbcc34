// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An echo server: a coroutine for each connection, up to a thousand at a time, over one epoll. A coroutine reads and
 * writes as if it could block; where the kernel says "try again" it yields to the loop, which resumes it when epoll
 * says so. Linux.
 *
 *	make examples && build/$(uname -m)/echo_server 7777		serves until it is killed
 *	build/$(uname -m)/echo_server test [CONNECTIONS]			serves its own clients, and checks
 */
#include "../context_switch.h"
#include "../host/stack.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 1000, STACK_BYTES = 16384, BATCH = 64 };

struct connection {
	struct context context;
	void *stack;
	size_t stack_bytes;
	int socket;
	struct connection *next_free;
};

static struct connection connections[CONNECTIONS_MAX], *free_connections;
static struct context loop_context = CONTEXT_THREAD;
static int poll_descriptor;

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(2);
}

/* Leaves the coroutine until epoll has news of its socket (it is watched edge-triggered for both directions). */
static void wait_for_socket(struct connection *connection)
{
	context_yield(&connection->context, NULL);
}

/* As read, from a coroutine. */
static ssize_t read_some(struct connection *connection, void *buffer, size_t bytes)
{
	ssize_t count;

	while ((count = read(connection->socket, buffer, bytes)) < 0 && (errno == EAGAIN || errno == EINTR))
		if (errno == EAGAIN)
			wait_for_socket(connection);
	return count;
}

static bool write_all(struct connection *connection, const char *buffer, size_t bytes)
{
	while (bytes) {
		ssize_t count = write(connection->socket, buffer, bytes);

		if (count < 0 && errno == EAGAIN)
			wait_for_socket(connection);
		else if (count < 0 && errno != EINTR)
			return false;
		else if (count > 0) {
			buffer += count;
			bytes -= (size_t)count;
		}
	}
	return true;
}

/* What a connection does, from beginning to end. */
static void echo(struct context *self, void *message)
{
	struct connection *connection = (struct connection *)self;
	char buffer[2048];
	ssize_t count;

	(void)message;
	while ((count = read_some(connection, buffer, sizeof(buffer))) > 0)
		if (!write_all(connection, buffer, (size_t)count))
			break;
	close(connection->socket);
	connection->next_free = free_connections;
	free_connections = connection;
}

static void accept_all(int listener)
{
	int accepted;

	while (free_connections && (accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
		struct connection *connection = free_connections;
		struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = connection };

		free_connections = connection->next_free;
		connection->socket = accepted;
		context_create(&connection->context, connection->stack, connection->stack_bytes, echo);
		if (epoll_ctl(poll_descriptor, EPOLL_CTL_ADD, accepted, &event) != 0)
			die("echo_server: epoll_ctl");
		context_resume(&loop_context, &connection->context, NULL);
	}
}

static int listen_on(uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), yes = 1;

	if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
	    bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(listener, CONNECTIONS_MAX) != 0)
		die("echo_server: cannot listen");
	return listener;
}

static _Noreturn void serve(int listener)
{
	struct epoll_event events[BATCH], event = { .events = EPOLLIN | EPOLLET, .data.ptr = NULL };

	for (int i = CONNECTIONS_MAX - 1; i >= 0; i--) {
		connections[i].stack_bytes = STACK_BYTES;
		connections[i].stack = context_stack_map(&connections[i].stack_bytes);
		if (!connections[i].stack)
			die("echo_server: stacks");
		connections[i].next_free = free_connections;
		free_connections = &connections[i];
	}
	poll_descriptor = epoll_create1(0);
	if (poll_descriptor < 0 || epoll_ctl(poll_descriptor, EPOLL_CTL_ADD, listener, &event) != 0)
		die("echo_server: epoll");
	for (;;) {
		int count = epoll_wait(poll_descriptor, events, BATCH, -1);

		for (int i = 0; i < count; i++)
			if (events[i].data.ptr)
				context_resume(&loop_context, &((struct connection *)events[i].data.ptr)->context, NULL);
		/* Each time, because epoll does not announce again a client that had to wait for a free connection. */
		accept_all(listener);
	}
}

/* The i-th client's text: a length and a pattern of its own. */
static size_t text_of(int client, int round, char *text)
{
	size_t bytes = 1 + (size_t)(client * 37 + round * 911) % 6000;

	for (size_t i = 0; i < bytes; i++)
		text[i] = (char)('a' + (client + round + (int)i) % 26);
	return bytes;
}

static int test_clients(uint16_t port, int count)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	static int sockets[CONNECTIONS_MAX];
	static char sent[6001], received[6001];
	long right = 0;

	for (int i = 0; i < count; i++) {
		sockets[i] = socket(AF_INET, SOCK_STREAM, 0);
		if (sockets[i] < 0 || connect(sockets[i], (struct sockaddr *)&address, sizeof(address)) != 0)
			die("echo_server: a client");
	}
	/* All are open at once; in each round all send before any reads. */
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < count; i++) {
			size_t bytes = text_of(i, round, sent);

			if (write(sockets[i], sent, bytes) != (ssize_t)bytes)
				die("echo_server: a client writes");
		}
		for (int i = 0; i < count; i++) {
			size_t bytes = text_of(i, round, sent), have = 0;
			ssize_t more;

			while (have < bytes && (more = read(sockets[i], received + have, bytes - have)) > 0)
				have += (size_t)more;
			right += have == bytes && memcmp(sent, received, bytes) == 0;
		}
	}
	printf("%d connections at once, %ld of %d echoes right\n", count, right, 3 * count);
	return right != 3L * count;
}

static uint16_t port_of(int listener)
{
	struct sockaddr_in address;
	socklen_t bytes = sizeof(address);

	if (getsockname(listener, (struct sockaddr *)&address, &bytes) != 0)
		die("echo_server: getsockname");
	return ntohs(address.sin_port);
}

/* Two sockets a connection in the worst case; the usual limit is 1024. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int main(int argc, char **argv)
{
	bool test = argc >= 2 && strcmp(argv[1], "test") == 0;
	int count = argc == 3 ? atoi(argv[2]) : CONNECTIONS_MAX, status, listener;
	pid_t server;

	if (argc < 2 || argc > (test ? 3 : 2) || count < 1 || count > CONNECTIONS_MAX) {
		fprintf(stderr, "usage: echo_server PORT | echo_server test [CONNECTIONS, at most %d]\n", CONNECTIONS_MAX);
		return 2;
	}
	raise_descriptor_limit();
	signal(SIGPIPE, SIG_IGN);
	if (!test)
		serve(listen_on((uint16_t)atoi(argv[1])));
	listener = listen_on(0);
	server = fork();
	if (server < 0)
		die("echo_server: fork");
	if (server == 0)
		serve(listener);
	status = test_clients(port_of(listener), count);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	return status;
}
