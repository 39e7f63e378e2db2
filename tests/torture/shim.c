/* What a disk would do, between the service and the kernel; loaded with LD_PRELOAD.
 *
 * SHIM_LOG       every change to a file whose name contains SHIM_NAME is added to this file, in the order in which the
 *                kernel was asked: opens that create, writes with their bytes, truncations, removals, and each fsync
 *                when it is over. From that, tests/torture/power.py rebuilds what a power cut would have left.
 * SHIM_FAULT     while this file is there the followed files suffer: a positive number in it is the errno with which
 *                writes and fsyncs fail, a negative one makes each fsync so many milliseconds slower
 * shim_kill_at(n)   from now on the process is killed after its n-th change to the followed files, 0 for never;
 *                   the answer is how many there were since it was last called
 *
 * A line is: op (1 byte: c w t u r f d), pid, length of the name, offset, length of the data, name, data.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MOST_FILES 4096

struct line {
    char op;
    int32_t pid;
    uint32_t name_length;
    int64_t offset;
    uint32_t data_length;
} __attribute__((packed));

static char *names[MOST_FILES]; /* of the open descriptors that are followed */
static int record = -1;
static const char *followed;
static const char *fault;
static int kill_at, changes;

int shim_kill_at(int number) {
    int before = changes;
    kill_at = number;
    changes = 0;
    return before;
}

#define REAL(kind, name, ...) static kind (*real_##name)(__VA_ARGS__)
REAL(int, open, const char *, int, ...);
REAL(int, openat, int, const char *, int, ...);
REAL(int, close, int);
REAL(ssize_t, write, int, const void *, size_t);
REAL(ssize_t, pwrite, int, const void *, size_t, off64_t);
REAL(int, ftruncate, int, off64_t);
REAL(int, fsync, int);
REAL(int, fdatasync, int);
REAL(int, unlink, const char *);
REAL(int, rename, const char *, const char *);

__attribute__((constructor)) static void begin(void) {
    real_open = dlsym(RTLD_NEXT, "open64");
    real_openat = dlsym(RTLD_NEXT, "openat64");
    real_close = dlsym(RTLD_NEXT, "close");
    real_write = dlsym(RTLD_NEXT, "write");
    real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    real_unlink = dlsym(RTLD_NEXT, "unlink");
    real_rename = dlsym(RTLD_NEXT, "rename");
    followed = getenv("SHIM_NAME");
    const char *log = getenv("SHIM_LOG");
    fault = getenv("SHIM_FAULT");
    if (log && followed)
        record = real_open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static void note(char op, const char *name, int64_t offset, const void *data, size_t length) {
    if (++changes == kill_at)
        kill(getpid(), SIGKILL);
    if (record < 0)
        return;
    int before = errno;
    struct line line = {op, getpid(), (uint32_t)strlen(name), offset, (uint32_t)length};
    struct iovec parts[3] = {{&line, sizeof line}, {(void *)name, line.name_length}, {(void *)data, length}};
    if (writev(record, parts, length ? 3 : 2) < 0) /* one call: lines of several processes never mix */
        abort();
    errno = before;
}

static const char *name_of(int fd) { return fd >= 0 && fd < MOST_FILES ? names[fd] : NULL; }

/* What the disk suffers from now, 0 for nothing. */
static int suffering(int fd) {
    char text[16] = "";
    const char *name = name_of(fd);
    if (!fault || !name || (name[0] == '/' && name[1] == '/'))
        return 0;
    int before = errno, file = real_open(fault, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        real_close(file);
    errno = before;
    return length > 0 ? atoi(text) : 0;
}

/* Whether the disk refuses now; then errno says why. */
static int refuses(int fd) {
    int number = suffering(fd);
    if (number > 0)
        errno = number;
    return number > 0;
}

static int follows(const char *path) {
    size_t length = strlen(path);
    return followed && strstr(path, followed) && !(length > 4 && !strcmp(path + length - 4, "-shm"));
}

static int opened(int fd, const char *path, int existed, int flags) {
    struct stat about;
    if (fd < 0 || fd >= MOST_FILES)
        return fd;
    free(names[fd]);
    names[fd] = NULL;
    if (follows(path)) {
        names[fd] = strdup(path);
        if (!existed)
            note('c', path, 0, NULL, 0);
        if (flags & O_TRUNC)
            note('t', path, 0, NULL, 0);
    } else if (record >= 0 && (flags & O_DIRECTORY || (!(flags & O_ACCMODE) && !fstat(fd, &about) && S_ISDIR(about.st_mode))))
        names[fd] = strcat(strcpy(malloc(strlen(path) + 2), "/"), path); /* a folder, for its fsync */
    return fd;
}

#define MODE(flags) \
    int mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, int); \
        va_end(rest); \
    }

int open64(const char *path, int flags, ...) {
    MODE(flags)
    int existed = !access(path, F_OK);
    return opened(real_open(path, flags, mode), path, existed, flags);
}

int open(const char *path, int flags, ...) {
    MODE(flags)
    int existed = !access(path, F_OK);
    return opened(real_open(path, flags, mode), path, existed, flags);
}

int openat64(int folder, const char *path, int flags, ...) {
    MODE(flags)
    int existed = !faccessat(folder, path, F_OK, 0);
    return opened(real_openat(folder, path, flags, mode), path, existed, flags);
}

int openat(int folder, const char *path, int flags, ...) {
    MODE(flags)
    int existed = !faccessat(folder, path, F_OK, 0);
    return opened(real_openat(folder, path, flags, mode), path, existed, flags);
}

int close(int fd) {
    if (name_of(fd)) {
        free(names[fd]);
        names[fd] = NULL;
    }
    return real_close(fd);
}

ssize_t write(int fd, const void *data, size_t length) {
    if (refuses(fd))
        return -1;
    const char *name = name_of(fd);
    off64_t at = name ? lseek64(fd, 0, SEEK_CUR) : 0;
    ssize_t done = real_write(fd, data, length);
    if (name && done > 0)
        note('w', name, at, data, done);
    return done;
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t at) {
    if (refuses(fd))
        return -1;
    ssize_t done = real_pwrite(fd, data, length, at);
    if (name_of(fd) && done > 0)
        note('w', name_of(fd), at, data, done);
    return done;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t at) { return pwrite64(fd, data, length, at); }

int ftruncate64(int fd, off64_t length) {
    if (refuses(fd))
        return -1;
    int failed = real_ftruncate(fd, length);
    if (name_of(fd) && !failed)
        note('t', name_of(fd), length, NULL, 0);
    return failed;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static int synced(int fd, int failed) {
    const char *name = name_of(fd);
    if (name && !failed)
        note(name[0] == '/' && name[1] == '/' ? 'd' : 'f', name, 0, NULL, 0);
    return failed;
}

static void linger(int fd) {
    int number = suffering(fd);
    struct timespec pause = {-number / 1000, -number % 1000 * 1000000L};
    if (number < 0)
        nanosleep(&pause, NULL);
}

int fsync(int fd) {
    linger(fd);
    return synced(fd, refuses(fd) ? -1 : real_fsync(fd));
}

int fdatasync(int fd) {
    linger(fd);
    return synced(fd, refuses(fd) ? -1 : real_fdatasync(fd));
}

int unlink(const char *path) {
    int failed = real_unlink(path);
    if (!failed && follows(path))
        note('u', path, 0, NULL, 0);
    return failed;
}

int rename(const char *from, const char *to) {
    int failed = real_rename(from, to);
    if (!failed && (follows(from) || follows(to)))
        note('r', from, 0, to, strlen(to));
    return failed;
}
