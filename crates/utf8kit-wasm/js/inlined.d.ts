// Written to dist by build.mjs: modules as text, which `unpacked` in bytes.ts reads.

/** The library with simd128. */
export declare const SIMD128: string;

/** The validation of UTF-8 alone. */
export declare const UTF8: string;
