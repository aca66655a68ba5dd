// Kernels whose threads compute all channels of their pixels.
#pragma once

#include <tests/codegen/kernel_builder.hpp>

namespace sinter::codegen::testing {

/// Images with channels, of which an array may have more than are used.
struct images {
    std::int64_t count = 1, pixels = 2048, channels = 3, stored = 3;
};

/// x + a number per channel: interleaved channels to planes.
inline loop_nest planes_of_pixels(const images& of, dtype from, dtype to) {
    kernel_builder b;
    kernel_builder::strides in, out;
    if (of.count > 1) {
        const int n = b.outer(of.count);
        in.emplace_back(n, of.pixels * of.stored);
        out.emplace_back(n, of.pixels * of.channels);
    }
    const int c = b.outer(of.channels), p = b.outer(of.pixels);
    in.insert(in.end(), {{c, 1}, {p, of.stored}});
    out.insert(out.end(), {{c, of.pixels}, {p, 1}});
    const int image = b.input(from);
    b.k.inputs[static_cast<std::size_t>(image)].elements = of.count * of.pixels * of.stored;
    const int x = b.cast(to, b.load(image, in));
    b.store(b.op("add", {x, b.load(b.input(to), {{c, 1}})}), out);
    return b.k;
}

/// Images of three bytes per pixel, to planes of floats.
inline loop_nest planes_of_bytes(std::int64_t count, std::int64_t pixels) {
    return planes_of_pixels({count, pixels, 3, 3}, dtype::uint8, dtype::float32);
}

/// The reverse, and a plane that all channels share.
inline loop_nest pixels_of_planes(const images& of, dtype from, dtype to) {
    kernel_builder b;
    kernel_builder::strides in, out, one;
    if (of.count > 1) {
        const int n = b.outer(of.count);
        in.emplace_back(n, of.pixels * of.channels);
        one.emplace_back(n, of.pixels);
        out.emplace_back(n, of.pixels * of.channels);
    }
    const int p = b.outer(of.pixels), c = b.outer(of.channels);
    in.insert(in.end(), {{c, of.pixels}, {p, 1}});
    one.emplace_back(p, 1);
    out.insert(out.end(), {{c, 1}, {p, of.channels}});
    const int x = b.load(b.input(from), in), y = b.load(b.input(from), one);
    b.store(b.cast(to, b.op("add", {x, y})), out);
    return b.k;
}

/// stack(x + y, x - y, x * y, axis=1): what differs from channel to channel by their indices.
inline loop_nest stacked_pixels(std::int64_t pixels) {
    kernel_builder b;
    const int p = b.outer(pixels), c = b.outer(3);
    const int x = b.load(b.input(dtype::float32), {{p, 1}}), y = b.load(b.input(dtype::float32), {{p, 1}});
    const int which = b.index({{c, 1}});
    const int first = b.op("less", {which, b.number(1)}), second = b.op("less", {which, b.number(2)});
    const int rest = b.op("where", {second, b.op("subtract", {x, y}), b.op("multiply", {x, y})});
    b.store(b.op("where", {first, b.op("add", {x, y}), rest}), {{p, 3}, {c, 1}});
    return b.k;
}

}  // namespace sinter::codegen::testing
