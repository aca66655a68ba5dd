// CUDA's math functions and vector types for the shim. As in CUDA, the overloads for float and the functions
// whose names end in f compute in float.
#pragma once
#pragma GCC system_header

// ---- functions ------------------------------------------------------------------------------------------------------

#define SINTER_EMULATE_UNARY(name)   \
    extern "C" double name(double);  \
    extern "C" float name##f(float); \
    inline float name(float x) { return ::name##f(x); }
#define SINTER_EMULATE_BINARY(name)         \
    extern "C" double name(double, double); \
    extern "C" float name##f(float, float); \
    inline float name(float x, float y) { return ::name##f(x, y); }
SINTER_EMULATE_UNARY(exp)
SINTER_EMULATE_UNARY(exp2)
SINTER_EMULATE_UNARY(expm1)
SINTER_EMULATE_UNARY(log)
SINTER_EMULATE_UNARY(log2)
SINTER_EMULATE_UNARY(log10)
SINTER_EMULATE_UNARY(log1p)
SINTER_EMULATE_UNARY(logb)
SINTER_EMULATE_UNARY(sqrt)
SINTER_EMULATE_UNARY(cbrt)
SINTER_EMULATE_UNARY(sin)
SINTER_EMULATE_UNARY(cos)
SINTER_EMULATE_UNARY(tan)
SINTER_EMULATE_UNARY(asin)
SINTER_EMULATE_UNARY(acos)
SINTER_EMULATE_UNARY(atan)
SINTER_EMULATE_UNARY(sinh)
SINTER_EMULATE_UNARY(cosh)
SINTER_EMULATE_UNARY(tanh)
SINTER_EMULATE_UNARY(asinh)
SINTER_EMULATE_UNARY(acosh)
SINTER_EMULATE_UNARY(atanh)
SINTER_EMULATE_UNARY(floor)
SINTER_EMULATE_UNARY(ceil)
SINTER_EMULATE_UNARY(trunc)
SINTER_EMULATE_UNARY(round)
SINTER_EMULATE_UNARY(rint)
SINTER_EMULATE_UNARY(nearbyint)
SINTER_EMULATE_UNARY(fabs)
SINTER_EMULATE_UNARY(erf)
SINTER_EMULATE_UNARY(erfc)
SINTER_EMULATE_UNARY(tgamma)
SINTER_EMULATE_UNARY(lgamma)
SINTER_EMULATE_BINARY(pow)
SINTER_EMULATE_BINARY(hypot)
SINTER_EMULATE_BINARY(atan2)
SINTER_EMULATE_BINARY(fmod)
SINTER_EMULATE_BINARY(remainder)
SINTER_EMULATE_BINARY(fmax)
SINTER_EMULATE_BINARY(fmin)
SINTER_EMULATE_BINARY(fdim)
SINTER_EMULATE_BINARY(copysign)
SINTER_EMULATE_BINARY(nextafter)
#undef SINTER_EMULATE_UNARY
#undef SINTER_EMULATE_BINARY

// Functions that the C library lacks are in the program that runs the kernel (special.cpp).
#define SINTER_SPECIAL(name)                                            \
    extern "C" double sinter_emulate_##name(double);                    \
    inline double name(double x) { return ::sinter_emulate_##name(x); } \
    inline float name(float x) { return (float)::sinter_emulate_##name((double)x); }
#include "../../include/sinter/op/special.def"

extern "C" void* memcpy(void*, const void*, __SIZE_TYPE__);
inline float frexp(float x, int* e) { return __builtin_frexpf(x, e); }
inline double frexp(double x, int* e) { return __builtin_frexp(x, e); }
extern "C" double fma(double, double, double);
extern "C" float fmaf(float, float, float);
extern "C" double ldexp(double, int);
extern "C" float ldexpf(float, int);
inline float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
inline float ldexp(float x, int e) { return __builtin_ldexpf(x, e); }
inline float pow(float x, int y) { return __builtin_powf(x, static_cast<float>(y)); }
inline double pow(double x, int y) { return __builtin_pow(x, y); }
inline double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
inline float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
inline float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
inline float __expf(float x) { return __builtin_expf(x); }
inline float __logf(float x) { return __builtin_logf(x); }
inline float __fdividef(float x, float y) { return x / y; }

inline float abs(float x) { return __builtin_fabsf(x); }
inline double abs(double x) { return __builtin_fabs(x); }
inline int abs(int x) { return x < 0 ? -x : x; }
inline long abs(long x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }
inline bool isnan(float x) { return x != x; }
inline bool isnan(double x) { return x != x; }
inline bool isinf(float x) { return __builtin_isinf(x) != 0; }
inline bool isinf(double x) { return __builtin_isinf(x) != 0; }
inline bool isfinite(float x) { return __builtin_isfinite(x) != 0; }
inline bool isfinite(double x) { return __builtin_isfinite(x) != 0; }
inline bool signbit(float x) { return __builtin_signbit(x) != 0; }
inline bool signbit(double x) { return __builtin_signbit(x) != 0; }

#define SINTER_EMULATE_MINMAX(T)                     \
    inline T min(T x, T y) { return y < x ? y : x; } \
    inline T max(T x, T y) { return x < y ? y : x; }
SINTER_EMULATE_MINMAX(int)
SINTER_EMULATE_MINMAX(unsigned)
SINTER_EMULATE_MINMAX(long)
SINTER_EMULATE_MINMAX(unsigned long)
SINTER_EMULATE_MINMAX(long long)
SINTER_EMULATE_MINMAX(unsigned long long)
#undef SINTER_EMULATE_MINMAX
inline float min(float x, float y) { return __builtin_fminf(x, y); }
inline float max(float x, float y) { return __builtin_fmaxf(x, y); }
inline double min(double x, double y) { return __builtin_fmin(x, y); }
inline double max(double x, double y) { return __builtin_fmax(x, y); }

// ---- vector types ---------------------------------------------------------------------------------------------------

#define SINTER_EMULATE_VECTOR(T, name, alignment2, alignment4) \
    struct alignas(alignment2) name##2 { T x, y; };            \
    struct alignas(alignment4) name##4 { T x, y, z, w; };      \
    inline name##2 make_##name##2(T x, T y) { return {x, y}; } \
    inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
SINTER_EMULATE_VECTOR(signed char, char, 2, 4)
SINTER_EMULATE_VECTOR(unsigned char, uchar, 2, 4)
SINTER_EMULATE_VECTOR(short, short, 4, 8)
SINTER_EMULATE_VECTOR(unsigned short, ushort, 4, 8)
SINTER_EMULATE_VECTOR(int, int, 8, 16)
SINTER_EMULATE_VECTOR(unsigned, uint, 8, 16)
SINTER_EMULATE_VECTOR(long long, longlong, 16, 16)
SINTER_EMULATE_VECTOR(unsigned long long, ulonglong, 16, 16)
SINTER_EMULATE_VECTOR(float, float, 8, 16)
SINTER_EMULATE_VECTOR(double, double, 16, 16)
#undef SINTER_EMULATE_VECTOR
