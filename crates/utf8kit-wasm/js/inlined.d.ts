// Written to dist by build.mjs: modules as text, which `unpacked` in bytes.ts reads.

/** The library with simd128. */
export declare const SIMD128: string;

/** Only the validation of UTF-8. */
export declare const UTF8: string;
