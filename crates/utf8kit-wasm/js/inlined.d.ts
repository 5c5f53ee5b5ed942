// Written to dist by build.mjs.

/** The library with simd128, in hexadecimal: compressed on the way, that is shorter than base64. */
export declare const SIMD128: string;

/** The validation of UTF-8 alone, in hexadecimal. */
export declare const UTF8: string;
