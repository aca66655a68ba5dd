// Functions that generate elements: ranges, diagonals, random numbers.
#include <sinter/error.hpp>
#include <tools/explain/reader.hpp>
#include <tools/explain/recipe.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace sinter::spoken {
namespace {

/// Converts a number to an element; throws if it does not fit.
template <class T>
T element_of(const number& n) {
    if constexpr (is_storage_only(dtype_of<T>)) {
        return static_cast<T>(static_cast<float>(n.as_double()));
    } else if constexpr (is_complex(dtype_of<T>)) {
        return T(static_cast<typename T::value_type>(n.as_double()));
    } else if constexpr (std::is_integral_v<T>) {
        constexpr auto limits = std::numeric_limits<T>();
        const bool fits = is_floating(n.type) ? n.real > static_cast<double>(limits.min()) - 1 &&
                                                    n.real < static_cast<double>(limits.max() / 2 + 1) * 2
                                              : detail::any_integer(n.integer) >= limits.min() &&
                                                    detail::any_integer(n.integer) <= limits.max();
        if (!fits) throw error(fmt::format("{} does not fit {}; name a wider type", n.as_double(), name(dtype_of<T>)));
        return is_floating(n.type) ? static_cast<T>(n.real) : static_cast<T>(n.integer);
    } else {
        return static_cast<T>(n.as_double());
    }
}

/// Argument i, or a default integer.
number or_else(const call& c, std::size_t i, std::int64_t otherwise) {
    return i < c.count() ? c.a_number(i) : number{dtype::int64, otherwise, 0};
}

/// The recipe from f for an element type that f supports. `which` names these types in the error.
template <class F>
recipe of_type(const call& c, dtype type, const char* which, F f) {
    return sinter::detail::with_dtype(type, [&]<dtype D>() -> recipe {
        if constexpr (requires { f.template operator()<element_t<D>>(); })
            return f.template operator()<element_t<D>>();
        else
            throw error(c.name() + ": makes " + which + ", not " + name(D));
    });
}

template <class T>
concept is_number = !std::is_same_v<T, bool>;
template <class T>
concept is_real_or_complex = !std::is_integral_v<T>;

node_ref arange_of(const call& c) {
    c.takes(1, 3, {}, "arange<float>(n) or arange(start, stop, step)");
    dtype type = dtype::int32;
    for (std::size_t i = 0; i < c.count(); ++i) type = promote(type, c.a_number(i).type);
    return cook(of_type(c, c.type(type), "numbers",
                        [&]<is_number T>() {
                            const auto at = [&](std::size_t i, std::int64_t otherwise) {
                                return element_of<T>(or_else(c, i, otherwise));
                            };
                            return c.count() == 1 ? recipe_of(arange<T>(at(0, 0)))
                                                  : recipe_of(arange<T>(at(0, 0), at(1, 0), at(2, 1)));
                        }),
                {});
}

/// The element type of numbers from the first argument to the second.
dtype spaced_type(const call& c) {
    const dtype common = promote(c.a_number(0).type, c.a_number(1).type);
    return c.type(is_integer(common) ? default_float : common);
}

node_ref linspace_of(const call& c) {
    c.takes(3, 3, {}, "linspace(start, stop, count)");
    return cook(of_type(c, spaced_type(c), "floating numbers",
                        [&]<is_real_or_complex T>() {
                            return recipe_of(
                                linspace<T>(element_of<T>(c.a_number(0)), element_of<T>(c.a_number(1)), c.integer(2)));
                        }),
                {});
}

node_ref geomspace_of(const call& c) {
    c.takes(3, 3, {}, "geomspace(start, stop, count)");
    return cook(of_type(c, spaced_type(c), "floating numbers",
                        [&]<is_real_or_complex T>() {
                            return recipe_of(
                                geomspace<T>(element_of<T>(c.a_number(0)), element_of<T>(c.a_number(1)), c.integer(2)));
                        }),
                {});
}

node_ref logspace_of(const call& c) {
    c.takes(3, 4, {}, "logspace(start, stop, count, base)");
    return cook(of_type(
                    c, spaced_type(c), "floating numbers",
                    [&]<class T>() requires(is_floating(dtype_of<T>)) {
                        const auto at = [&](std::size_t i) { return element_of<T>(or_else(c, i, 10)); };
                        return recipe_of(logspace<T>(at(0), at(1), c.integer(2), at(3)));
                    }),
                {});
}

/// Independent random elements: the recipe has one axis, and its reshape gets the shape that the call gives in braces.
node_ref of_shape(const call& c, std::size_t braces, const recipe& r) {
    node to;
    const std::vector<std::int64_t> extents = c.integers(braces);
    to.rank = static_cast<int>(extents.size());
    std::copy(extents.begin(), extents.end(), to.shape.begin());
    cooking how;
    how.reshaped = &to;
    return cook(r, how);
}

/// The product of the extents in the braces.
shape<1> elements_in(const call& c, std::size_t braces) {
    const std::vector<std::int64_t> extents = c.integers(braces);
    if (extents.size() > static_cast<std::size_t>(ir::max_rank)) throw error("an array has at most 8 axes");
    constexpr std::int64_t widest = 16;  // bytes of an element
    const int rank = static_cast<int>(extents.size());
    return shape<1>(detail::checked_size(c.name().c_str(), extents.data(), rank, widest) / widest);
}

template <class F>
void add_random(function_table& all, const char* name, F f) {
    all.emplace(name, [=](const call& c) {
        c.takes(2, 2, {}, (std::string(name) + "<float>(random_key(1), {3, 4})").c_str());
        const random_key key = read_key(c.written(0));
        const shape<1> count = elements_in(c, 1);
        return of_shape(
            c, 1,
            of_type(
                c, c.type(dtype::float64), "float and double", [&]<class T>() requires std::is_floating_point_v<T> {
                    return recipe_of(f.template operator()<T>(key, count));
                }));
    });
}

node_ref integers_of(const call& c) {
    c.takes(4, 4, {}, "integers<int>(random_key(1), 0, 6, {3, 4})");
    const random_key key = read_key(c.written(0));
    const shape<1> count = elements_in(c, 3);
    return of_shape(c, 3,
                    of_type(
                        c, c.type(dtype::int64), "integers", [&]<class T>() requires std::is_integral_v<T> {
                            return recipe_of(integers<T>(key, c.integer(1), c.integer(2), count));
                        }));
}

}  // namespace

random_key read_key(const syntax& s) {
    const auto unsigned_integer = [](const syntax& n) { return static_cast<std::uint64_t>(read_integer(n)); };
    const std::size_t numbers = s.parts.size() - (s.parts.empty() ? 0 : 1);
    if (s.what == syntax::kind::member && s.text == "split" && numbers == 1)
        return read_key(s.parts[0]).split(unsigned_integer(s.parts[1]));
    if (s.what == syntax::kind::call && s.parts[0].text == "random_key" && (numbers == 1 || numbers == 2))
        return {unsigned_integer(s.parts[1]), numbers == 2 ? unsigned_integer(s.parts[2]) : 0};
    throw problem(s.at, "expected a key: random_key(seed), random_key(seed, stream), or random_key(seed).split(n)");
}

void add_generators(function_table& all) {
    all.emplace("arange", arange_of);
    all.emplace("linspace", linspace_of);
    all.emplace("geomspace", geomspace_of);
    all.emplace("logspace", logspace_of);
    all.emplace("eye", [](const call& c) {
        c.takes(1, 3, {}, "eye<float>(rows, columns, offset)");
        return cook(of_type(c, c.type(dtype::float64), "elements",
                            [&]<class T>() {
                                return recipe_of(eye<T>(c.integer(0), c.integer(1, c.integer(0)), c.integer(2, 0)));
                            }),
                    {});
    });
    all.emplace("tri", [](const call& c) {
        c.takes(2, 3, {}, "tri<float>(rows, columns, offset)");
        return cook(of_type(c, c.type(dtype::float64), "elements",
                            [&]<class T>() { return recipe_of(tri<T>(c.integer(0), c.integer(1), c.integer(2, 0))); }),
                    {});
    });
    add_random(all, "uniform",
               []<class T>(const random_key& key, const auto& count) { return uniform<T>(key, count); });
    add_random(all, "normal", []<class T>(const random_key& key, const auto& count) { return normal<T>(key, count); });
    all.emplace("integers", integers_of);
    all.emplace("bernoulli", [](const call& c) {
        c.takes(3, 3, {}, "bernoulli(random_key(1), 0.5, {3, 4})");
        const random_key key = read_key(c.written(0));
        return of_shape(c, 2, recipe_of(bernoulli(key, c.real(1, 0), elements_in(c, 2))));
    });
    all.emplace("permutation", [](const call& c) {
        c.takes(2, 2, {}, "permutation(random_key(1), count)");
        return cook(recipe_of(permutation(read_key(c.written(0)), c.integer(1))), {});
    });
}

}  // namespace sinter::spoken
