// Where arrays live and kernels run. The host, a CUDA device and the tests' emulated device implement this.
#pragma once

#include <codegen/schedule/schedule.hpp>
#include <runtime/devices/library_call.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace sinter::detail {
struct arguments_view;
struct evaluation_result;
}  // namespace sinter::detail

namespace sinter::codegen {

namespace device_ir {
struct program;
}

/// What a compiler says of one kernel.
struct resources {
    int registers = -1;  ///< a thread; -1 where not known
    int shared_bytes = -1;
    int spill_bytes = -1;  ///< stores plus loads
    std::size_t image_bytes = 0;
};

/// What a text is compiled with besides itself.
struct compile_options {
    std::vector<std::string> flags;  ///< NVRTC's: "-DN=4"
    std::string author;              ///< whose text it is, for messages: "raw_kernel 'add'"; empty for Sinter's own
};

/// Extents along x, y and z.
struct extent3 {
    std::int64_t x = 1, y = 1, z = 1;
};

/// How many blocks of how many threads, and what each block may use.
struct launch_shape {
    extent3 grid;
    extent3 block;
    unsigned shared_bytes = 0;  ///< dynamic shared memory
    bool blocks_meet = false;   ///< at grid barriers: no other such kernel may hold places that its blocks need
};

/// A kernel that is ready to launch. Owned by its device, for the device's lifetime.
struct loaded_kernel {
    virtual ~loaded_kernel() = default;
    resources usage;  ///< as far as the image or the device tells
    /// Bytes of each parameter, where the device tells them: kernels that others wrote are checked against them.
    std::vector<std::size_t> parameter_bytes;
    bool parameters_known = false;
};

/// A point in a device's order of work.
struct time_mark {
    virtual ~time_mark() = default;
};

/// Streams of one device at most. More stream objects than that share them.
inline constexpr int max_streams = 32;
/// What is "submitted" to this one is recorded for a graph. No memory counts as used by it.
inline constexpr int recording_stream = max_streams - 1;
/// A device's work on this stream starts before what its other streams have waiting.
inline constexpr int urgent_stream = max_streams - 2;

/// Which streams have used a block of memory since it was last written, the writer's among them.
class stream_uses {
public:
    constexpr stream_uses() = default;
    static constexpr stream_uses only(int stream) {
        return stream_uses(std::uint64_t{1} << stream | static_cast<std::uint64_t>(stream) << max_streams);
    }
    static constexpr stream_uses of_bits(std::uint64_t bits) { return stream_uses(bits); }

    constexpr bool by(int stream) const { return bits_ >> stream & 1; }
    constexpr int writer() const { return static_cast<int>(bits_ >> max_streams); }
    constexpr std::uint64_t bits() const { return bits_; }
    constexpr bool operator==(const stream_uses&) const = default;

private:
    explicit constexpr stream_uses(std::uint64_t bits) : bits_(bits) {}
    std::uint64_t bits_ = 1;  // the device's own stream alone
};

/// Which numbers are taken. Not safe to use from several threads at once.
class stream_numbers {
public:
    /// The number, above 0, that the fewest stream objects have.
    int acquire() {
        int best = 1;
        for (int n = 2; n < urgent_stream; ++n)
            if (users_[static_cast<std::size_t>(n)] < users_[static_cast<std::size_t>(best)]) best = n;
        ++users_[static_cast<std::size_t>(best)];
        return best;
    }
    void release(int number) { --users_[static_cast<std::size_t>(number)]; }

private:
    std::array<int, max_streams> users_{};
};

class device;
class capture;
class mesh_device;

/// The stream that this thread's work goes to: on `where` the one of that number, elsewhere the device's own.
struct stream_choice {
    const device* where = nullptr;
    int number = 0;
    capture* recording = nullptr;  ///< not null exactly if the number is recording_stream
};
inline constinit thread_local stream_choice chosen_stream{};

/// Work that was recorded, for launching again and again.
struct recorded_work {
    virtual ~recorded_work() = default;
    virtual void launch() = 0;  ///< on the present stream
};

/// Memory and order. Work on one stream of a device runs in the order it is submitted, whatever thread submits it.
/// Without a word about streams all work goes to one, the device's own.
class device {
public:
    virtual ~device() = default;
    virtual const std::string& name() const = 0;  ///< "host", "cuda(0)": what users call it
    virtual const device_properties& properties() const = 0;
    virtual bool is_host() const = 0;  ///< evaluated by the host back end rather than by kernels

    /// The number of the stream that this thread's work goes to.
    int stream_now() const { return chosen_stream.where == this ? chosen_stream.number : 0; }
    /// The recording that this thread's work goes to instead of being done; null for none.
    capture* recording() const { return chosen_stream.where == this ? chosen_stream.recording : nullptr; }

    /// For the present stream. At least 256-byte aligned; throws sinter::error when full.
    virtual void* allocate(std::size_t bytes) = 0;
    /// Memory may be handed out again before the work that used it is done, on the stream that wrote it last: its next
    /// use comes later in that order. What other streams do with it is waited for.
    virtual void deallocate(void* p, std::size_t bytes, stream_uses uses) noexcept = 0;
    void deallocate(void* p, std::size_t bytes) noexcept { deallocate(p, bytes, stream_uses::only(stream_now())); }
    virtual void copy_from_host(void* to, const void* from, std::size_t bytes) = 0;  ///< `from` may be reused on return
    virtual void copy_to_host(void* to, const void* from, std::size_t bytes) = 0;    ///< waits
    virtual void copy_within(void* to, const void* from, std::size_t bytes) = 0;     ///< both on this device
    virtual void fill_zero(void* p, std::size_t bytes) = 0;
    virtual void synchronize() = 0;  ///< all streams

    virtual time_mark* mark() = 0;  ///< of the present stream; caller owns
    virtual double seconds_between(const time_mark& from, const time_mark& to) = 0;  ///< waits for `to`

    /// A library's way to compute a product; null where the device has none that takes it. `alignment` is what
    /// choose_schedule asks of the kernel's pointers.
    virtual std::unique_ptr<library_call> library_for(const gemm&, const std::vector<int>& /*alignment*/) {
        return nullptr;
    }

    // A device that does its work in one order, at once, needs none of the rest.

    /// Memory of the host that start_copy_to_host, which does not wait, can fill.
    virtual void* allocate_pinned(std::size_t bytes) { return ::operator new(bytes); }
    virtual void deallocate_pinned(void* p, std::size_t) noexcept { ::operator delete(p); }
    virtual void start_copy_to_host(void* to, const void* from, std::size_t bytes) { copy_to_host(to, from, bytes); }

    virtual int acquire_stream() { return 0; }  ///< its number
    /// Makes urgent_stream; false if the device has no streams.
    virtual bool make_urgent_stream() { return false; }
    virtual void release_stream(int) noexcept {}
    virtual void synchronize_stream(int) { synchronize(); }
    virtual void* native_stream(int) { return nullptr; }   ///< a CUstream
    virtual void wait_for_stream(int /*earlier*/) {}       ///< the present stream, for what `earlier` has by now
    virtual void wait_for_mark(const time_mark& /*m*/) {}  ///< the present stream
    virtual void wait_for_native(void* /*stream*/) {}      ///< the present stream, for what a CUstream has by now
    virtual void let_native_wait(void* /*stream*/) {}      ///< the CUstream, for what the present stream has by now

    /// Copies from another device's memory: on the present stream, after what the present stream of `source` has by
    /// now, which waits for the copy in its turn. False, and nothing is done, where the two have no way of their own.
    virtual bool copy_from_peer(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/, device& /*source*/) {
        return false;
    }
    /// The members that stand behind a device of sharded arrays; null for all others.
    virtual mesh_device* as_mesh() { return nullptr; }
    /// Evaluates a program whose operands are on that mesh; on no other device.
    virtual void evaluate_over_members(const ir::program&, const detail::arguments_view&, detail::evaluation_result*) {}

    /// A device that records work by itself does so between these two; one of null has its work recorded by `capture`.
    virtual void begin_recording() {}
    virtual std::unique_ptr<recorded_work> end_recording() { return nullptr; }
};

/// A device that runs generated kernels.
class kernel_device : public device {
public:
    /// No two kernel devices that a process ever makes share it: an address would not do for those that come and go.
    const std::uint64_t id = next_id();

    bool is_host() const final { return false; }
    /// The program that a source was printed of, before the source is compiled or its image loaded: for devices that
    /// interpret programs.
    virtual void announce(const std::string& /*source*/, const std::shared_ptr<const device_ir::program>& /*program*/) {
    }
    /// Source to a binary image. Throws sinter::error with the whole log and the numbered source.
    virtual std::string compile(const std::string& source, const compile_options& options) = 0;
    std::string compile(const std::string& source) { return compile(source, {}); }
    /// Everything besides the source that decides compile's result, for the disk cache's key.
    virtual std::string toolchain() const = 0;
    virtual loaded_kernel* load(const std::string& image, const std::string& entry) = 0;
    /// A grid without blocks is no work.
    virtual void launch(loaded_kernel* kernel, const launch_shape& shape, void** arguments) = 0;
    void launch(loaded_kernel* kernel, std::int64_t grid, int block, unsigned shared_bytes, void** arguments) {
        launch(kernel, {{grid, 1, 1}, {block, 1, 1}, shared_bytes}, arguments);
    }

private:
    static std::uint64_t next_id() {
        static std::atomic<std::uint64_t> last{0};
        return ++last;
    }
};

}  // namespace sinter::codegen
