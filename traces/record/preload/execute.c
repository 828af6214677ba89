/* A library that the recorded program loads, so that what it executes is recorded, too: it puts the emulator
 * and the plugin in front of the program to execute. The emulator itself executes other programs as they
 * are. Programs linked statically do not load it, and what they execute is not recorded. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

enum { MOST_ARGUMENTS = 4096, FRONT = 12 };

static int system_execute(const char *path, char *const *arguments, char *const *environment)
{
	return (int)syscall(SYS_execve, path, arguments, environment);
}

/* head reads a file's first bytes; the rest of the buffer is zero. */
static void head(const char *path, char *into, size_t length)
{
	memset(into, 0, length);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return;
	ssize_t got = read(file, into, length - 1);
	(void)got;
	close(file);
}

static int is_program(const char *path)
{
	char start[sizeof(Elf64_Ehdr) + 1];
	head(path, start, sizeof start);
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)start;
	return access(path, X_OK) == 0 && memcmp(start, ELFMAG, SELFMAG) == 0 && e->e_machine == EM_X86_64;
}

__attribute__((visibility("default"))) int execve(const char *path, char *const *arguments, char *const *environment)
{
	const char *emulator = getenv("RECORD_EMULATOR"), *processor = getenv("RECORD_PROCESSOR"), *options = getenv("RECORD_OPTIONS");
	int count = 0;
	while (arguments[count])
		count++;
	if (!emulator || !processor || !options || count == 0 || count > MOST_ARGUMENTS)
		return system_execute(path, arguments, environment);

	char script[256], *interpreter = NULL, *option = NULL, *rest;
	head(path, script, sizeof script);
	if (access(path, X_OK) == 0 && script[0] == '#' && script[1] == '!') {
		script[strcspn(script, "\n")] = 0;
		interpreter = strtok_r(script + 2, " \t", &rest);
		option = interpreter ? strtok_r(NULL, "", &rest) : NULL;
	}
	const char *program = interpreter ? interpreter : path;
	if (!is_program(program))
		return system_execute(path, arguments, environment);

	const char *list[MOST_ARGUMENTS + FRONT] = {emulator, "-0", interpreter ? interpreter : arguments[0], "-cpu", processor, "-plugin", options, program};
	int n = 8;
	if (interpreter && option)
		list[n++] = option;
	if (interpreter)
		list[n++] = path;
	for (int i = 1; i < count; i++)
		list[n++] = arguments[i];
	list[n] = NULL;
	return system_execute(emulator, (char *const *)list, environment);
}

__attribute__((visibility("default"))) int execv(const char *path, char *const *arguments)
{
	return execve(path, arguments, environ);
}

/* execvpe searches as a shell does. */
__attribute__((visibility("default"))) int execvpe(const char *name, char *const *arguments, char *const *environment)
{
	const char *search = getenv("PATH");
	char path[PATH_MAX];
	int problem = ENOENT;
	if (strchr(name, '/'))
		return execve(name, arguments, environment);
	for (const char *from = search ? search : "/bin:/usr/bin"; *from;) {
		size_t length = strcspn(from, ":");
		int written = snprintf(path, sizeof path, "%.*s/%s", (int)length, length ? from : ".", name);
		if (length == 0)
			written = snprintf(path, sizeof path, "./%s", name);
		if (written > 0 && (size_t)written < sizeof path) {
			execve(path, arguments, environment);
			if (errno == EACCES)
				problem = EACCES;
			else if (errno != ENOENT && errno != ENOTDIR)
				return -1;
		}
		from += length + (from[length] == ':');
	}
	errno = problem;
	return -1;
}

__attribute__((visibility("default"))) int execvp(const char *name, char *const *arguments)
{
	return execvpe(name, arguments, environ);
}
