// The processes of one program on one machine: which of them this is, and bytes between any two of them.
#pragma once

#include <runtime/system/process_rank.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter::codegen {

/// Connects each process with each other by sockets of the Unix domain. They find each other by a path: that of
/// SINTER_RENDEZVOUS, or one that the children of one process share. Throws where the others do not come in a minute,
/// when one of them ends early, and where one lets the others wait for longer than SINTER_MESH_TIMEOUT says.
///
/// A message says what it belongs to: one that was not meant for who receives it, since its sender's evaluation failed
/// and it went on to another, is not taken for data. After such a failure the connections are of no use any more.
class rendezvous {
public:
    explicit rendezvous(process_rank who);
    ~rendezvous();
    rendezvous(const rendezvous&) = delete;
    rendezvous& operator=(const rendezvous&) = delete;

    int rank() const { return who_.rank; }
    int size() const { return who_.size; }

    void send(int to, const void* bytes, std::size_t count) const;
    void receive(int from, void* bytes, std::size_t count) const;
    /// What rank 0 has, for all.
    void broadcast(void* bytes, std::size_t count) const;
    /// What each has, in the order of the ranks: up to 64 KiB each.
    std::vector<std::string> gather(const std::string& mine) const;

    /// Throws, in every process, unless all have come here with the same digest. `describe()` says in words what of.
    template <class Describe>
    void agree(std::uint64_t digest, const Describe& describe) {
        ++agreements_;
        if (!all_have(digest)) throw_disagreement(describe());
    }

private:
    /// What goes before a message's bytes.
    struct header {
        std::uint64_t agreements = 0;  ///< that the sender has come to
        std::uint64_t bytes = 0;
    };

    bool all_have(std::uint64_t digest) const;
    [[noreturn]] void throw_disagreement(const std::string& mine) const;
    void send_bytes(int to, const void* bytes, std::size_t count) const;
    void receive_bytes(int from, void* bytes, std::size_t count) const;
    header receive_header(int from) const;
    void wait_for(int other, short event) const;
    void listen_at(const std::string& path);
    void connect_to(int rank, const std::string& path);
    void accept_one();
    void stop_listening() noexcept;
    void close_all() noexcept;
    std::string path_of(int rank) const;
    [[noreturn]] void fail(const std::string& what) const;
    /// The same, and ends the connections: nobody shall wait for this process.
    [[noreturn]] void give_up(const std::string& what) const;
    [[noreturn]] void fail_to_meet(const std::string& whom, const std::string& path) const;

    const process_rank who_;
    const std::string path_;
    double deadline_ = 0;
    int listening_ = -1;
    std::vector<int> sockets_;  ///< by rank; -1 for one's own
    std::uint64_t agreements_ = 0;
    const int timeout_;  ///< seconds
};

}  // namespace sinter::codegen
