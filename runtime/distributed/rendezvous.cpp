// The environment of launchers, and the sockets.
#include <runtime/distributed/rendezvous.hpp>

#include <runtime/system/environment.hpp>
#include <runtime/system/fork.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace sinter::codegen {
namespace {

constexpr double patience = 60;  // seconds

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string path_from_environment() {
    if (std::string wish = environment("SINTER_RENDEZVOUS"); !wish.empty()) return wish;
    const std::string folder = environment("TMPDIR");
    return fmt::format("{}/sinter-{}-{}", folder.empty() ? "/tmp" : folder, getuid(), getppid());
}

sockaddr_un address_of(const std::string& path) {
    sockaddr_un a{};
    a.sun_family = AF_UNIX;
    if (path.size() >= sizeof a.sun_path)
        throw error(fmt::format("SINTER_RENDEZVOUS: {} is longer than the {} characters that a socket's path may have",
                                path, sizeof a.sun_path - 1));
    std::memcpy(a.sun_path, path.c_str(), path.size() + 1);
    return a;
}

/// What a process says first, so that those of another program are not taken for its fellows.
struct hello {
    char name[8] = {'s', 'i', 'n', 't', 'e', 'r', '1', '\0'};
    std::int32_t size = 0;
    std::int32_t rank = 0;
};

bool is_own_user(int socket) {
    ucred other{};
    socklen_t length = sizeof other;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &length) == 0 && other.uid == getuid();
}

}  // namespace

rendezvous::rendezvous(process_rank who)
    : who_(who),
      path_(path_from_environment()),
      deadline_(now() + patience),
      sockets_(static_cast<std::size_t>(who.size), -1),
      timeout_(environment_number("SINTER_MESH_TIMEOUT", 1).value_or(600)) {
    try {
        listen_at(path_of(who_.rank));
        for (int r = 0; r < who_.rank; ++r) connect_to(r, path_of(r));
        for (int r = who_.rank + 1; r < who_.size; ++r) accept_one();
    } catch (...) {
        close_all();
        throw;
    }
    stop_listening();
}

rendezvous::~rendezvous() { close_all(); }

std::string rendezvous::path_of(int rank) const { return fmt::format("{}.{}", path_, rank); }

void rendezvous::stop_listening() noexcept {
    if (listening_ < 0) return;
    unlink(path_of(who_.rank).c_str());
    close(std::exchange(listening_, -1));
}

void rendezvous::close_all() noexcept {
    for (int s : sockets_)
        if (s >= 0) close(s);
    stop_listening();
}

void rendezvous::fail(const std::string& what) const {
    throw error(fmt::format("mesh: process {} of {}: {}", who_.rank, who_.size, what));
}

void rendezvous::fail_to_meet(const std::string& whom, const std::string& path) const {
    fail(
        fmt::format("{} did not come to {} within a minute; start all {} on one machine, as children of one process or "
                    "with one SINTER_RENDEZVOUS, or set SINTER_SIZE=1 for a process by itself",
                    whom, path, who_.size));
}

void rendezvous::listen_at(const std::string& path) {
    const sockaddr_un a = address_of(path);
    unlink(path.c_str());  // of a program that crashed
    listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listening_ < 0 || bind(listening_, reinterpret_cast<const sockaddr*>(&a), sizeof a) != 0 ||
        listen(listening_, who_.size) != 0)
        fail(fmt::format("{} cannot be listened at ({}); set SINTER_RENDEZVOUS to a path that can be written", path,
                         std::strerror(errno)));
}

void rendezvous::connect_to(int rank, const std::string& path) {
    const sockaddr_un a = address_of(path);
    for (;;) {
        const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (s < 0) fail(fmt::format("no socket could be made ({})", std::strerror(errno)));
        if (connect(s, reinterpret_cast<const sockaddr*>(&a), sizeof a) == 0 && is_own_user(s)) {
            sockets_[static_cast<std::size_t>(rank)] = s;
            hello h;
            h.size = who_.size;
            h.rank = who_.rank;
            return send_bytes(rank, &h, sizeof h);
        }
        close(s);
        if (now() > deadline_) fail_to_meet(fmt::format("process {}", rank), path);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

void rendezvous::accept_one() {
    for (;;) {
        pollfd waiting{listening_, POLLIN, 0};
        if (poll(&waiting, 1, std::max(0, static_cast<int>((deadline_ - now()) * 1e3))) <= 0)
            fail_to_meet("one of the others", path_ + ".*");
        const int s = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
        if (s < 0) continue;
        hello expected, h;
        const bool ours = is_own_user(s) && recv(s, &h, sizeof h, MSG_WAITALL) == sizeof h &&
                          std::memcmp(h.name, expected.name, sizeof h.name) == 0;
        if (!ours) {
            close(s);
            continue;
        }
        if (h.size != who_.size || h.rank <= who_.rank || h.rank >= who_.size ||
            sockets_[static_cast<std::size_t>(h.rank)] >= 0) {
            close(s);
            fail(
                fmt::format("a process that says it is {} of {} came to {}.*; give each run a SINTER_RENDEZVOUS of its "
                            "own",
                            h.rank, h.size, path_));
        }
        sockets_[static_cast<std::size_t>(h.rank)] = s;
        return;
    }
}

void rendezvous::give_up(const std::string& what) const {
    for (int s : sockets_)
        if (s >= 0) shutdown(s, SHUT_RDWR);
    fail(what);
}

void rendezvous::wait_for(int other, short event) const {
    const double until = now() + timeout_;
    for (;;) {
        pollfd waiting{sockets_[static_cast<std::size_t>(other)], event, 0};
        const int ready = poll(&waiting, 1, std::max(0, static_cast<int>((until - now()) * 1e3)));
        if (ready > 0) return;
        if (ready < 0 && errno == EINTR) continue;
        give_up(
            fmt::format("process {} did not come within {} seconds: it evaluates other expressions, or waits for "
                        "something else; SINTER_MESH_TIMEOUT=<seconds> sets how long it is waited for",
                        other, timeout_));
    }
}

void rendezvous::send_bytes(int to, const void* bytes, std::size_t count) const {
    refuse_after_fork("a mesh of several processes");
    const char* p = static_cast<const char*>(bytes);
    while (count > 0) {
        const ssize_t n = ::send(sockets_[static_cast<std::size_t>(to)], p, count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) {
            wait_for(to, POLLOUT);
            continue;
        }
        if (n <= 0) fail(fmt::format("process {} ended early; see what it says", to));
        p += n;
        count -= static_cast<std::size_t>(n);
    }
}

void rendezvous::receive_bytes(int from, void* bytes, std::size_t count) const {
    refuse_after_fork("a mesh of several processes");
    char* p = static_cast<char*>(bytes);
    while (count > 0) {
        const ssize_t n = recv(sockets_[static_cast<std::size_t>(from)], p, count, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) {
            wait_for(from, POLLIN);
            continue;
        }
        if (n <= 0) fail(fmt::format("process {} ended early; see what it says", from));
        p += n;
        count -= static_cast<std::size_t>(n);
    }
}

void rendezvous::send(int to, const void* bytes, std::size_t count) const {
    const header h{agreements_, count};
    send_bytes(to, &h, sizeof h);
    send_bytes(to, bytes, count);
}

rendezvous::header rendezvous::receive_header(int from) const {
    header h;
    receive_bytes(from, &h, sizeof h);
    if (h.agreements != agreements_)
        give_up(
            fmt::format("process {} has gone on to another evaluation, since one failed there; see what it says, and "
                        "make the mesh anew in all processes",
                        from));
    return h;
}

void rendezvous::receive(int from, void* bytes, std::size_t count) const {
    if (const header h = receive_header(from); h.bytes != count)
        give_up(
            fmt::format("process {} sends {} bytes where {} are expected: the processes evaluate different expressions",
                        from, h.bytes, count));
    receive_bytes(from, bytes, count);
}

bool rendezvous::all_have(std::uint64_t digest) const {
    for (int r = 0; r < who_.size; ++r)
        if (r != who_.rank) send(r, &digest, sizeof digest);
    bool same = true;
    for (int r = 0; r < who_.size; ++r) {
        if (r == who_.rank) continue;
        std::uint64_t theirs = 0;
        receive(r, &theirs, sizeof theirs);
        same = same && theirs == digest;
    }
    return same;
}

void rendezvous::throw_disagreement(const std::string& mine) const {
    const std::vector<std::string> all = gather(mine);
    int other = 0;  // the first whose words are not those of process 0
    while (other < who_.size && all[static_cast<std::size_t>(other)] == all[0]) ++other;
    const bool differ = other < who_.size;
    fail(fmt::format("{}; all processes evaluate the same expressions of the same shapes, in the same order",
                     differ ? fmt::format("process {} evaluates {}, and process 0 {}", other,
                                          all[static_cast<std::size_t>(other)], all[0])
                            : fmt::format("the processes evaluate different expressions, each {}", all[0])));
}

void rendezvous::broadcast(void* bytes, std::size_t count) const {
    if (who_.rank > 0) return receive(0, bytes, count);
    for (int r = 1; r < who_.size; ++r) send(r, bytes, count);
}

std::vector<std::string> rendezvous::gather(const std::string& mine) const {
    // What is sent here fits the sockets' buffers, so that nobody waits for anybody to receive.
    for (int r = 0; r < who_.size; ++r)
        if (r != who_.rank) send(r, mine.data(), mine.size());
    std::vector<std::string> all(static_cast<std::size_t>(who_.size), mine);
    for (int r = 0; r < who_.size; ++r) {
        if (r == who_.rank) continue;
        std::string& text = all[static_cast<std::size_t>(r)];
        text.resize(receive_header(r).bytes);
        receive_bytes(r, text.data(), text.size());
    }
    return all;
}

}  // namespace sinter::codegen
