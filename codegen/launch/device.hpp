// Where arrays live and kernels run. The host, a CUDA device and the tests' emulated device implement this.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter::codegen {

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

/// Memory and order. Work on one device runs in the order it is submitted, whatever thread submits it; memory given
/// back by deallocate may be handed out again at once, since its next use comes later in that order.
class device {
public:
    virtual ~device() = default;
    virtual const std::string& name() const = 0;  ///< "host", "cuda(0)": what users call it
    virtual const machine& properties() const = 0;
    virtual bool is_host() const = 0;  ///< evaluated by the host back end rather than by kernels

    virtual void* allocate(std::size_t bytes) = 0;  ///< at least 256-byte aligned; throws sinter::error when full
    virtual void deallocate(void* p, std::size_t bytes) noexcept = 0;
    virtual void copy_from_host(void* to, const void* from, std::size_t bytes) = 0;  ///< `from` may be reused on return
    virtual void copy_to_host(void* to, const void* from, std::size_t bytes) = 0;    ///< waits
    virtual void copy_within(void* to, const void* from, std::size_t bytes) = 0;     ///< both on this device
    virtual void fill_zero(void* p, std::size_t bytes) = 0;
    virtual void synchronize() = 0;

    virtual time_mark* mark() = 0;                                                   ///< caller owns
    virtual double seconds_between(const time_mark& from, const time_mark& to) = 0;  ///< waits for `to`
};

/// A device that runs generated kernels.
class kernel_device : public device {
public:
    /// No two kernel devices that a process ever makes share it: an address would not do for those that come and go.
    const std::uint64_t id = next_id();

    bool is_host() const final { return false; }
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
