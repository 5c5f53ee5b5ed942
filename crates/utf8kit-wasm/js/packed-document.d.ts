// Written by build.mjs: The modules by file name: compressed by brotli, in base64.
export declare const MODULES: Record<string, string>;
