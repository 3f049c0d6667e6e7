/*
 * Loaded before the C library by a server whose power is cut: prove/power-cut.ts compiles it and reads what it writes. It appends a record
 * to POWER_CUT_LOG for each change of a file below POWER_CUT_FOLDER, before the change, and for each sync, after it:
 *
 *   'W' id offset old_size old_length new_length, old bytes, new bytes     a write
 *   'T' id new_size old_size old_length 0, old bytes                       a change of the size
 *   'S' id before 0 0 0                                                    a sync: records before the number `before` are on the disk
 *   'N' id 0 0 0 0                                                         an empty file was opened: earlier records are of another file
 *
 * `id` is the inode. A write through a mapping is not seen: SQLite maps only its shared memory for writing, which is rebuilt at each start.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <errno.h>
#define FDS_MAX 65536
#define STOP(what) (fprintf(stderr, "power cut: %s: %s\n", what, strerror(errno)), abort())
#define LIBC(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_fd = -1;
static uint64_t records;
static uint64_t ids[FDS_MAX];

static void append(char kind, uint64_t id, uint64_t a, uint64_t b, const void *old, uint64_t old_length, const void *fresh, uint64_t length) {
  uint64_t head[6] = {(uint64_t)kind, id, a, b, old_length, length};
  if (log_fd < 0) log_fd = open(getenv("POWER_CUT_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  struct iovec parts[3] = {{head, sizeof head}, {(void *)old, old_length}, {(void *)fresh, length}};
  LIBC(writev);
  if (real(log_fd, parts, 3) != (ssize_t)(sizeof head + old_length + length)) STOP("log");
  records++;
}

/* Remembers whether the file lies below the folder. */
static void opened(int fd) {
  const char *folder = getenv("POWER_CUT_FOLDER");
  char link[64], name[4096];
  struct stat st;
  if (fd < 0 || fd >= FDS_MAX || !folder) return;
  ids[fd] = 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, name, sizeof name - 1);
  if (length < 0) return;
  name[length] = 0;
  if (strncmp(name, folder, strlen(folder)) || strstr(name, "-shm")) return;
  if (fstat(fd, &st) || !S_ISREG(st.st_mode)) return;
  pthread_mutex_lock(&lock);
  ids[fd] = st.st_ino;
  if (st.st_size == 0) append('N', st.st_ino, 0, 0, "", 0, "", 0);
  pthread_mutex_unlock(&lock);
}

/* libuv closes files without the C library, so the number may be that of another file, or of a socket, by now. */
static uint64_t id_of(int fd) {
  struct stat st;
  if (fd < 0 || fd >= FDS_MAX || !ids[fd]) return 0;
  if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_ino != ids[fd]) ids[fd] = 0;
  return ids[fd];
}

static char *old_bytes(int fd, uint64_t offset, uint64_t length, uint64_t size, uint64_t *found) {
  *found = offset >= size ? 0 : size - offset < length ? size - offset : length;
  char *bytes = malloc(*found + 1);
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  /* The file may be open for writing alone. */
  int reading = open(link, O_RDONLY);
  if (!bytes || reading < 0 || pread(reading, bytes, *found, offset) != (ssize_t)*found) STOP("read");
  close(reading);
  return bytes;
}

static uint64_t size_of(int fd) {
  struct stat st;
  if (fstat(fd, &st)) STOP("size");
  return st.st_size;
}

/* The lock is held from the record to the write, so that both have the same order. */
static void before_write(int fd, uint64_t id, const void *fresh, uint64_t length, int64_t offset) {
  uint64_t size = size_of(fd), found;
  uint64_t at = offset >= 0 ? (uint64_t)offset : (fcntl(fd, F_GETFL) & O_APPEND) ? size : (uint64_t)lseek(fd, 0, SEEK_CUR);
  char *old = old_bytes(fd, at, length, size, &found);
  append('W', id, at, size, old, found, fresh, length);
  free(old);
}

#define WRITE(call, bytes, length, offset)                          \
  uint64_t id = id_of(fd);                                          \
  if (!id) return call;                                             \
  pthread_mutex_lock(&lock);                                        \
  before_write(fd, id, bytes, length, offset);                      \
  ssize_t result = call;                                            \
  pthread_mutex_unlock(&lock);                                      \
  return result;

ssize_t write(int fd, const void *bytes, size_t n) { LIBC(write); WRITE(real(fd, bytes, n), bytes, n, -1) }
ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at) { LIBC(pwrite); WRITE(real(fd, bytes, n, at), bytes, n, at) }
ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at) { LIBC(pwrite64); WRITE(real(fd, bytes, n, at), bytes, n, at) }

/* Vectors are written one by one; a caller of writev must expect a short write. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
  LIBC(writev);
  if (!id_of(fd) || count < 1) return real(fd, parts, count);
  return write(fd, parts[0].iov_base, parts[0].iov_len);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  LIBC(pwritev);
  if (!id_of(fd) || count < 1) return real(fd, parts, count, at);
  return pwrite(fd, parts[0].iov_base, parts[0].iov_len, at);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  LIBC(pwritev64);
  if (!id_of(fd) || count < 1) return real(fd, parts, count, at);
  return pwrite64(fd, parts[0].iov_base, parts[0].iov_len, at);
}

#define TRUNCATE(call)                                              \
  uint64_t id = id_of(fd);                                          \
  if (!id) return call;                                             \
  pthread_mutex_lock(&lock);                                        \
  uint64_t size = size_of(fd), found = 0;                           \
  char *old = old_bytes(fd, length, size, size, &found);            \
  append('T', id, length, size, old, found, "", 0);                 \
  free(old);                                                        \
  int result = call;                                                \
  pthread_mutex_unlock(&lock);                                      \
  return result;

int ftruncate(int fd, off_t length) { LIBC(ftruncate); TRUNCATE(real(fd, length)) }
int ftruncate64(int fd, off64_t length) { LIBC(ftruncate64); TRUNCATE(real(fd, length)) }

#define SYNC                                                        \
  uint64_t id = id_of(fd);                                          \
  pthread_mutex_lock(&lock);                                        \
  uint64_t before = records;                                        \
  pthread_mutex_unlock(&lock);                                      \
  int result = real(fd);                                            \
  if (!id || result) return result;                                 \
  pthread_mutex_lock(&lock);                                        \
  append('S', id, before, 0, "", 0, "", 0);                         \
  pthread_mutex_unlock(&lock);                                      \
  return result;

int fsync(int fd) { LIBC(fsync); SYNC }
int fdatasync(int fd) { LIBC(fdatasync); SYNC }

#define OPEN(call)                                                  \
  va_list rest;                                                     \
  va_start(rest, flags);                                            \
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
  va_end(rest);                                                     \
  int fd = call;                                                    \
  if ((flags & O_ACCMODE) != O_RDONLY) opened(fd); else if (fd >= 0 && fd < FDS_MAX) ids[fd] = 0; \
  return fd;

int open(const char *name, int flags, ...) { LIBC(open); OPEN(real(name, flags, mode)) }
int open64(const char *name, int flags, ...) { LIBC(open64); OPEN(real(name, flags, mode)) }
int openat(int at, const char *name, int flags, ...) { LIBC(openat); OPEN(real(at, name, flags, mode)) }
int openat64(int at, const char *name, int flags, ...) { LIBC(openat64); OPEN(real(at, name, flags, mode)) }
int close(int fd) { LIBC(close); if (fd >= 0 && fd < FDS_MAX) ids[fd] = 0; return real(fd); }
