/* The connection to the recorder. Writes block while the recorder is busy: the program waits, and nobody's
 * memory grows. */
#define _GNU_SOURCE
#include "stream.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MESSAGES 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct message messages[MESSAGES];
static unsigned count;
static _Atomic bool busy;
static int connection = -1;
static int for_child = -1;
static struct sockaddr_un recorder = {.sun_family = AF_UNIX};
static int follow_children;
static void (*after_fork)(void);

void stream_lock(void) { pthread_mutex_lock(&lock); }
void stream_unlock(void) { pthread_mutex_unlock(&lock); }

/* fail ends the program: going on without a recording would only waste the user's time. */
void fail(const char *problem)
{
	fprintf(stderr, "carousel recorder: %s\n", problem);
	_exit(125);
}

static int open_connection(void)
{
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s < 0 || connect(s, (struct sockaddr *)&recorder, sizeof recorder) != 0)
		fail("cannot reach carousel; has it been stopped?");
	return s;
}

static void greet(void)
{
	stream_append(PROCESS, 0, 0, STREAM_VERSION, (uint32_t)getpid());
}

void stream_open(const char *path)
{
	if (strlen(path) >= sizeof recorder.sun_path)
		fail("the path of the socket is too long; set TMPDIR to a shorter folder");
	strcpy(recorder.sun_path, path);
	connection = open_connection();
	greet();
}

void stream_append(enum kind kind, unsigned thread, unsigned size, uint64_t value, uint64_t instructions)
{
	if (count == MESSAGES)
		stream_flush();
	struct message *m = &messages[count++];
	m->value = value;
	m->instructions = instructions > UINT32_MAX ? UINT32_MAX : (uint32_t)instructions;
	m->kind = (uint8_t)kind;
	m->size = (uint8_t)size;
	m->thread = (uint16_t)thread;
}

void stream_flush(void)
{
	const char *from = (const char *)messages;
	size_t left = count * sizeof *messages;
	count = 0;
	busy = true;
	while (connection >= 0 && left > 0) {
		ssize_t sent = send(connection, from, left, MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			fail("carousel does not take the recording any more");
		from += sent;
		left -= (size_t)sent;
	}
	busy = false;
}

bool stream_is_busy(void) { return busy; }

void stream_close(void)
{
	stream_flush();
	if (connection >= 0)
		close(connection);
	connection = -1;
}

/* A fork must not copy a lock that another thread holds, nor messages that the parent will send. The
 * child's connection is made before the fork, so that the recorder learns of the child before it can see
 * the parent end. */
static void before(void)
{
	stream_lock();
	if (follow_children && connection >= 0)
		for_child = open_connection();
}

static void in_parent(void)
{
	if (for_child >= 0)
		close(for_child);
	for_child = -1;
	stream_unlock();
}

static void in_child(void)
{
	if (connection >= 0)
		close(connection);
	connection = for_child;
	for_child = -1;
	count = 0;
	if (connection >= 0)
		greet();
	stream_unlock();
	after_fork();
}

void stream_follow_children(int follow, void (*after)(void))
{
	follow_children = follow;
	after_fork = after;
	pthread_atfork(before, in_parent, in_child);
}
