/* Counts what a process does to files below a folder, and lets one of those calls fail:
   the process is killed there (a write is done by half first), or the disk is full from there on.
   Preloaded by run.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { OFF, COUNT, KILL, FULL };

static int mode = OFF;
static long at, seen;
static char under[4096];

void faults_arm(int new_mode, long n, const char *folder) {
    strncpy(under, folder, sizeof under - 1);
    at = n, seen = 0, mode = new_mode;
}

long faults_seen(void) { return seen; }

static int concerns(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0) return 0;
    path[n] = 0;
    return strncmp(path, under, strlen(under)) == 0;
}

/* Whether this call is one that must fail. */
static int hit(void) {
    seen++;
    if (mode == FULL) return seen >= at;
    return mode == KILL && seen == at;
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *data, size_t n) {
    REAL(write);
    if (mode != OFF && concerns(fd) && hit()) {
        if (mode == FULL) { errno = ENOSPC; return -1; }
        real(fd, data, n / 2);
        raise(SIGKILL);
    }
    return real(fd, data, n);
}

/* What changes no bytes on the disk fails only by a kill. */
#define PLAIN(name, parameters, arguments) \
    int name parameters { \
        REAL(name); \
        if (mode != OFF && hit() && mode == KILL) raise(SIGKILL); \
        return real arguments; \
    }

PLAIN(rename, (const char *a, const char *b), (a, b))
PLAIN(renameat, (int x, const char *a, int y, const char *b), (x, a, y, b))
PLAIN(fsync, (int fd), (fd))
PLAIN(unlink, (const char *a), (a))
PLAIN(unlinkat, (int fd, const char *a, int flags), (fd, a, flags))
PLAIN(rmdir, (const char *a), (a))
PLAIN(mkdir, (const char *a, mode_t m), (a, m))
PLAIN(link, (const char *a, const char *b), (a, b))
PLAIN(linkat, (int x, const char *a, int y, const char *b, int f), (x, a, y, b, f))
