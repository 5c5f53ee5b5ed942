// Written by build.mjs: Modules as text, which `unpacked` in bytes.ts reads.
export declare const SIMD128: string;
export declare const UTF8: string;
