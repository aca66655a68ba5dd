// Where arrays live and expressions run.
#pragma once

#include <sinter/error.hpp>
#include <sinter/scoped.hpp>

#include <string>

namespace sinter {

namespace codegen {
class device;
}  // namespace codegen

/// A place to compute: the host or a CUDA device. A handle; compares by identity.
class device {
public:
    /// "host", "cuda(0)".
    const std::string& name() const;
    /// What is behind the name: "NVIDIA H200, sm_90, 132 multiprocessors".
    std::string description() const;
    bool is_host() const;
    friend bool operator==(const device&, const device&) = default;

    explicit device(codegen::device& d) : d_(&d) {}
    codegen::device& get() const { return *d_; }

private:
    codegen::device* d_;
};

/// The processor this program runs on.
device host();
/// A CUDA device. Throws when there is no such device, saying why.
device cuda(int index = 0);
/// How many CUDA devices there are; 0 without a driver.
int cuda_count() noexcept;

/// Where new arrays of this thread go: the innermost device_scope's device; otherwise what SINTER_DEVICE names ("host",
/// "cuda", "cuda:1"); otherwise cuda(0) if there is one, or, in one of several processes that a launcher has started
/// (see mesh), the CUDA device of its rank; else the host.
device current_device();

/// Makes a device current for this thread until the end of the scope.
class device_scope {
public:
    explicit device_scope(device d);

private:
    detail::scoped<codegen::device*> set_;
};

/// Waits until all work submitted to the current device, on whatever stream, is done.
void synchronize();

}  // namespace sinter
