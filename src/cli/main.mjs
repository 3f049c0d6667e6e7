/**
 * Where `offerbook` starts: has Node keep what it compiles, then loads the command line.
 *
 * Stripping types from some 200 files and compiling them took 350 ms of a start of 1,080 ms. The kept code lies beside
 * the packages, where only whoever may change those can write; where nobody may, each start compiles anew.
 *
 * The only file here in plain JavaScript: what strips types takes 70 ms to load, and nothing else needs it once the rest
 * is kept.
 */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Also by the variable, because that is what reaches the threads of the store.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/offerbook', import.meta.url));
enableCompileCache();
// Loaded only now: a static import would be compiled before the lines above.
await import('./program.ts');
