// Counts bytes from shapes; nothing is measured here.
#include <codegen/explain/traffic.hpp>

#include <algorithm>
#include <map>

namespace sinter::codegen {
namespace {

/// The number of elements that a load touches: the extents along which its address moves.
std::int64_t elements_touched(const kernel& k, const layout& l) {
    std::int64_t n = 1;
    for (std::size_t a = 0; a < k.extents.size(); ++a)
        if (l.stride[a] != 0) n *= k.extents[a];
    return n;
}

}  // namespace

std::int64_t bytes_moved(const kernel& k) {
    // An input loaded in several loops, or at several offsets, counts once: the fullest of its loads.
    std::map<int, std::int64_t> read;
    for (const value& v : k.values) {
        if (v.what != value_kind::load) continue;
        std::int64_t& most = read[k.inputs[static_cast<std::size_t>(v.input)].leaf];
        most = std::max(most, elements_touched(k, k.layouts[static_cast<std::size_t>(v.at)]) *
                                  static_cast<std::int64_t>(size_of(v.type)));
    }
    std::int64_t bytes = 0;
    for (const auto& [leaf, most] : read) bytes += most;
    for (std::size_t o = 0; o < k.outputs.size(); ++o)
        bytes += size_of_shape(k.output_shapes[o].shape, k.output_shapes[o].rank) *
                 static_cast<std::int64_t>(size_of(k.outputs[o]));
    return bytes;
}

}  // namespace sinter::codegen
