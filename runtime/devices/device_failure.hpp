// The error of a device that refuses work, or that finds out that earlier work has failed.
#pragma once

#include <sinter/error.hpp>

#include <string>
#include <utility>

namespace sinter::codegen {

class device_failure : public error {
public:
    device_failure(const std::string& message, std::string device, std::string reason, bool asynchronous)
        : error(message), device_(std::move(device)), reason_(std::move(reason)), asynchronous_(asynchronous) {}

    /// The device's name: "cuda(0)".
    const std::string& device() const { return device_; }
    /// The device's own words: "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)".
    const std::string& reason() const { return reason_; }
    /// Whether any work that was submitted before may have failed, rather than what was asked for now.
    bool is_asynchronous() const { return asynchronous_; }

private:
    std::string device_, reason_;
    bool asynchronous_;
};

}  // namespace sinter::codegen
