// Examples of arrays: making, moving and wrapping them, their metadata, and elements that formulas and keys give.
#include "show.hpp"

#include <vector>

using namespace sinter;

int main() {
    SECTION(array, shape);
    DO(array<float, 2> x = {{1, 2, 3}, {4, 5, 6}});
    SHOW(x.shape());
    SHOW(x.shape()[1]);
    SHOW(x.size());
    SHOW(name(x.dtype()));
    DO(array<float, 2> y = 2 * x);
    DO(y += x);
    SHOW(y);
    FAILS(x + (array<float, 2>({2, 4})));
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
    FAILS(from_host(values, {4, 2}));
    SECTION(empty, full, zeros, ones);
    SHOW(empty<float>({4}).shape());
    SHOW(full({2, 2}, 0.5f));
    SHOW(zeros<int>({3}));
    SHOW(ones<bool>({2}));
    SECTION(astype);
    SHOW(astype<int>(x / 2));
    SECTION(promote, dtype_of);
    SHOW(name(promote(dtype::int32, dtype::float32)));
    SHOW(name((x * 0.5).dtype()));
    SHOW(name(dtype_of<float16>));
    SECTION(to_string);
    DO(std::string text = to_string(x * 0.1f));
    SHOW(text);
    SECTION(wrap);
    DO(array<float, 1> outside = wrap(values.data(), {6}));
    DO(outside(0) = 100);
    SHOW(values[0]);
    SECTION(host_view);
    DO(auto view = x.host_view());
    SHOW(view(1, 2));
    SECTION(data);
    DO(float* elements = data(x));
    SHOW(elements[1]);

    SECTION(arange, linspace, logspace);
    SHOW(arange(5));
    SHOW(arange(1.0, 2.0, 0.25));
    SHOW(linspace(0.0, 1.0, 5));
    SHOW(logspace(0.0, 3.0, 4));
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
}
