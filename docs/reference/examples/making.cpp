// Examples of arrays: making, moving and wrapping them, their metadata, and elements that formulas and keys give.
#include <sinter/window_functions.hpp>
#include "show.hpp"

#include <vector>

using namespace sinter;

int main() {
    SECTION(array, shape);
    DO(array<float, 2> x = {{1, 2, 3}, {4, 5, 6}});
    SHOW(x.shape());
    SHOW(x.shape()[1]);
    SHOW(x.shape()[-1]);
    FAILS(x.shape()[2]);
    DO(auto [rows, columns] = x.shape());
    SHOW(rows);
    SHOW(columns);
    SHOW(x.ndim());
    SHOW(x.size());
    SHOW(name(x.dtype()));
    DO(array<float, 2> y = 2 * x);
    DO(y += x);
    SHOW(y);
    DO(y %= 4);
    SHOW(y);
    FAILS(x + (array<float, 2>({2, 4})));
    DO(array<float, 1> one = {5});
    DO(array<float, 1> five(shape{5}));
    SHOW(one.shape());
    SHOW(five.shape());
    DO(array<float16, 1> halves = {0.5f, 1});
    SHOW(halves);
    DO(array<float, 0> number = 0.5f);
    SHOW(number);
    SECTION(copy);
    SHOW(copy(x));
    SECTION(to_host, item);
    DO(std::vector<float> values = to_host(x));
    SHOW(values[3]);
    DO(float total = item(sum(x)));
    SHOW(total);
    SECTION(from_host);
    SHOW(from_host(values, {3, 2}));
    SHOW(from_host(std::vector<std::vector<int>>{{1, 2}, {3, 4}}));
    DO(const int block[2][3] = {{1, 2, 3}, {4, 5, 6}});
    SHOW(from_host(block));
    FAILS(from_host(values, {4, 2}));
    SECTION(empty, full, zeros, ones);
    SHOW(empty<float>({4}).shape());
    SHOW(full({2, 2}, 0.5f));
    SHOW(full(x.shape(), mean(x)));
    SHOW(zeros<int>({3}));
    SHOW(zeros(3));
    SHOW(ones<bool>(x.shape()));
    SECTION(zeros_like, ones_like, full_like, empty_like);
    SHOW(zeros_like(x));
    SHOW(ones_like<int>(x));
    SHOW(full_like(x(0), 0.5));
    SHOW(empty_like(x > 0).shape());
    SECTION(astype);
    SHOW(astype<int>(x / 2));
    SECTION(promote, dtype_of);
    SHOW(name(promote(dtype::int32, dtype::float32)));
    SHOW(name((x * 0.5).dtype()));
    SHOW(name(dtype_of<float16>));
    SECTION(to_string);
    DO(std::string text = to_string(x * 0.1f));
    SHOW(text);
    SHOW(to_string(x.shape()));
    SECTION(wrap);
    DO(array<float, 1> outside = wrap(values.data(), {6}));
    DO(outside(0) = 100);
    SHOW(values[0]);
    SECTION(host_view);
    DO(auto view = x.host_view());
    SHOW(view(1, 2));
    SHOW(view(-1, -1));
    SECTION(data);
    DO(float* elements = data(x));
    SHOW(elements[1]);

    SECTION(arange, linspace, logspace, geomspace, endpoint);
    SHOW(arange(5));
    SHOW(arange(1, 2, 0.25));
    SHOW(linspace(0, 1, 5));
    SHOW(linspace(0, 1, 4, endpoint=false));
    SHOW(linspace<int>(0, 10, 5));
    SHOW(logspace(0, 3, 4));
    SHOW(logspace(0, 3, 4, 2));
    SHOW(geomspace(1, 1000, 4));
    SECTION(eye, tri);
    SHOW(eye<int>(2, 3));
    SHOW(tri<int>(2, 3));
    SECTION(tril, triu);
    SHOW(tril(x));
    SHOW(triu(x, 1));

    SECTION(random_key);
    DO(random_key key{7});
    SHOW(uniform(key.split(0), {2}));
    SHOW(uniform(key.split(1), {2}));
    SECTION(uniform, normal, integers, bernoulli);
    SHOW(uniform<float>(key, {3}));
    SHOW(normal(key, {3}));
    SHOW(integers(key, 0, 10, {5}));
    SHOW(bernoulli(key, 0.5, {4}));
    SECTION(permutation, shuffle);
    SHOW(permutation(key, 6));
    SHOW(shuffle(key, arange(4)));

    SECTION(finfo, iinfo);
    SHOW(finfo<float>().eps);
    SHOW(finfo(dtype::float16).max);
    SHOW(iinfo<short>().min);
    SECTION(result_type, can_cast, isdtype);
    SHOW(name(result_type(x, arange(3), 1.5)));
    SHOW(name(result_type(dtype::int8, dtype::uint8)));
    SHOW(can_cast(dtype::int32, dtype::float32));
    SHOW(isdtype(x.dtype(), "real floating"));
    SECTION(bartlett, blackman, hamming, hanning, kaiser);
    SHOW(bartlett(5));
    SHOW(blackman(5));
    SHOW(hamming(5));
    SHOW(hanning<float>(5));
    SHOW(kaiser(5, 8.6));
}
